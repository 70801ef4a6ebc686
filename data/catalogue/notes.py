"""Invented notes of a hospital's wards as word counts: our own words, drawn at random, of no real patient."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from data import check, synthetic
from data.text import Corpus

COUNT, LENGTHS = 28_000, (8, 16)  # Notes, and words of one.
_LEAST = 3  # Words of the vocabulary in a note, as in `data.text.corpus`.
_SHARED, _MIXED = 0.4, 0.1  # Share of words that all wards use; α₀ of the wards of one note.
_WARDS = {
    "heart": "heart chest pressure pulse rhythm valve artery stent angina murmur beat palpitation fainting ankle "
    "swelling vein clot pacemaker cholesterol statin catheter aorta ventricle ecg infarct flutter troponin diuretic "
    "sternum bypass",
    "births": "baby birth mother week labour midwife delivery contraction twins pregnancy cord placenta crying milk "
    "feeding newborn caesarean breech womb stitches waters epidural ultrasound cervix forceps nappy cot antenatal "
    "jaundice fetus",
    "bones": "fracture bone fall cast hip wrist knee ankle plaster screw splint crutches ligament joint shoulder elbow "
    "plate cartilage traction femur tibia sprain dislocation physiotherapy spine rib collarbone sling osteoporosis "
    "tendon",
    "lungs": "cough breath lung oxygen inhaler asthma wheeze phlegm pneumonia smoker airway bronchitis mask chest "
    "spirometry pleura sputum fever tuberculosis steroid nebuliser embolism crackles sleep mucus emphysema allergy "
    "ventilator ribcage apnoea",
    "stomach": "stomach nausea vomiting liver bowel ulcer acid appetite gallbladder stone cramp diarrhoea reflux "
    "endoscopy colon polyp bloating appendix hernia meal antacid constipation pancreas bile hepatitis gluten stool "
    "gastritis fibre oesophagus",
}
_COMMON = (
    "patient pain doctor nurse day night morning family blood test result ward bed tablet dose review plan history "
    "visit home discharge stable admitted weight temperature sleep walk better worse mild severe left right scan image "
    "treatment referral consent relative evening rest fluid age normal follow daily water call chart phone"
)


@check.arguments
def corpus(*, size: int = 200) -> Corpus:
    """The notes, the same on every machine; each belongs to the ward of most of its words.

    Parameters
    ----------
    size : int
        Largest number d of words, at least 2: the likeliest of the distribution, a public choice.

    Raises
    ------
    ValueError
        If `size` is below 2.
    """
    check.integer("size", size, low=2)
    words, drawn = _drawn()
    chosen = np.sort(np.argsort(-drawn.words.mean(axis=0), kind="stable")[:size])
    counts = drawn.counts[:, chosen]
    long = np.flatnonzero(np.asarray(counts.sum(axis=1)).ravel() >= _LEAST)
    wards = np.array(list(_WARDS))[drawn.proportions[long].argmax(axis=1)]
    return Corpus(
        counts=counts[long],
        vocabulary=tuple(words[place] for place in chosen),
        names=tuple(f"note {place + 1}" for place in long),
        source="invented notes of a hospital",
        unit="one invented note",
        dropped=COUNT - len(long),
        vocabulary_public=True,
        origins=tuple(wards.tolist()),
    )


@lru_cache(maxsize=1)
def _drawn():
    """All words, and the notes over them."""
    words = tuple(sorted({*_COMMON.split(), *(w for ward in _WARDS.values() for w in ward.split())}))
    common = _law(_COMMON, words)
    topics = np.array([_SHARED * common + (1 - _SHARED) * _law(ward, words) for ward in _WARDS.values()])
    rng = np.random.default_rng(16)
    drawn = synthetic.lda(
        COUNT,
        dimension=len(words),
        topics=topics,
        alpha0=_MIXED,
        length=LENGTHS,
        rng=rng,
    )
    return words, drawn


def _law(listed, words):
    """A distribution over all words: those of a list, each less often than the one before it."""
    law = np.zeros(len(words))
    for rank, word in enumerate(listed.split()):
        law[words.index(word)] = 1 / (rank + 4)
    return law / law.sum()
