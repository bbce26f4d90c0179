"""λ-gradients of metrics, and λ-functions of your own (`examples` has those of Burges 2006)."""
