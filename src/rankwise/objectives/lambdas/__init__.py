"""λ-gradients of metrics."""
