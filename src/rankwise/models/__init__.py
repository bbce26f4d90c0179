"""What a trained model is on disk: save, load and describe it."""

from rankwise.models._files import info, load, save

__all__ = ["info", "load", "save"]
