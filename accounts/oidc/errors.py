class ProviderError(Exception):
    """The provider signs nobody in: what it sent is wrong, or it cannot be asked. The text is for the log."""

    def __init__(self, reason: str, *, is_down: bool = False) -> None:
        # The provider or a browser wrote a part of it, and no row of the audit trail takes a NUL.
        super().__init__("".join(filter(str.isprintable, reason)))
        self.is_down = is_down  # so that the same may work in a moment
