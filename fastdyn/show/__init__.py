"""What people see: tables of models."""
