from sources.lds import LDS


class BreastCancer(LDS):
    title = 'BreastCancer'
    published = 97.2
