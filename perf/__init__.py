"""What fastdyn costs: kernels against length, peers in the same run, cold and warm starts (perf/README.md)."""
