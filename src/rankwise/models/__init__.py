"""What a trained model is on disk."""
