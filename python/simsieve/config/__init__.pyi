from simsieve.config.typed import FitSettings as FitSettings
from simsieve.config.typed import LineSettings as LineSettings
from simsieve.config.typed import PassageSettings as PassageSettings
from simsieve.config.typed import RethresholdSettings as RethresholdSettings
from simsieve.config.typed import Settings as Settings
