"""What a sampler is worth: simulated labelling."""
