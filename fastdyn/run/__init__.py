"""The conversation with kernels: words and arrays in, checked; kernels asked; answers and troubles out in words."""
