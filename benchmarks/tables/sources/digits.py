from table import Table

from sources.lds import LDS


class Digits(LDS):
    r"""Pixels, whose brightness (from zero to one) is used as it is."""

    title = 'Digits'
    published = 94.4
    units = False

    def load(self) -> Table:
        table = super().load()
        return Table(table.x / 16, table.y, self.units)
