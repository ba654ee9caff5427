from sources.letter import Letter


class Penbased(Letter):
    r"""10,992 digits, with the places of a pen at eight moments."""

    title = 'penbased'
