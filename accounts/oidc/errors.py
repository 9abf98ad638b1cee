class ProviderError(Exception):
    """The provider signs nobody in: what it sent is wrong, or it cannot be asked. The text is for the log."""

    def __init__(self, reason: str, *, is_down: bool = False) -> None:
        super().__init__(reason)
        self.is_down = is_down  # so that the same may work in a moment
