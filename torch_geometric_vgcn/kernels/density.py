# The share of non-zeros up to which a sparse product is faster on a CPU.
DENSITY = 0.1
