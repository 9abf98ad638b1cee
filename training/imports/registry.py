"""The formats of training apps. A new one is a module, and a row here."""

from fitness.imports.formats import Format
from training.imports.fitbod import Fitbod
from training.imports.fitnotes import FitNotes
from training.imports.fitnotes_ios import FitNotesIos
from training.imports.hevy import Hevy
from training.imports.jefit import Jefit
from training.imports.liftosaur import Liftosaur
from training.imports.strong import Strong
from training.imports.stronglifts import StrongLifts

FORMATS: list[Format] = [
    *(Hevy(), Strong(), FitNotes(), Fitbod(), FitNotesIos(), StrongLifts(), Jefit(), Liftosaur())
]
