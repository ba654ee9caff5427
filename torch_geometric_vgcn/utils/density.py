# Up to this share of non-zeros, products with a sparse matrix are faster than
# with a dense one:
DENSITY = 0.1
