"""Producer and worker for Spillway, over HTTP."""

from ._http import SpillwayError
from .producer import NotAccepted, Producer, Refused
from .worker import Dead, Item, Later, Unavailable, Worker

__all__ = [
    "Dead", "Item", "Later", "NotAccepted", "Producer", "Refused", "SpillwayError", "Unavailable", "Worker",
]
