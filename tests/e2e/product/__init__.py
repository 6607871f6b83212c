"""What the product's end-to-end tests share: compiled workspaces, their clusters on real servers, and comparisons."""
