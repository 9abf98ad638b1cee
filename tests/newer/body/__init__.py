from body import migrations

__path__ += migrations.__path__
