from sources.lds import LDS


class Wine(LDS):
    title = 'Wine'
    published = 98.2
