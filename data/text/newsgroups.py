"""The 20 newsgroups, fetched once through scikit-learn and cached."""

from __future__ import annotations

from data import cache, check
from data.text.documents import Documents, packed, unpacked


@check.arguments
def newsgroups(*, download: bool = True) -> Documents:
    """All 18,846 messages without headers, signatures and quotations; blank ones dropped and counted.

    One message is the unit of privacy, not its author, who may have written several.

    Raises
    ------
    DownloadError
        If they are not on disk and cannot be fetched.
    """
    arrays = cache.downloaded(
        "newsgroups",
        title="20 newsgroups",
        address="https://ndownloader.figshare.com",
        fetch=_fetch,
        download=download,
    )
    documents = unpacked(arrays)
    if documents is None:
        raise cache.DownloadError(
            f"the cached 20 newsgroups are damaged. Delete {cache.folder() / 'newsgroups.npz'} and try again."
        )
    return documents


def _fetch(scratch):
    from sklearn.datasets import fetch_20newsgroups

    bunch = fetch_20newsgroups(
        data_home=scratch, subset="all", shuffle=False, remove=("headers", "footers", "quotes")
    )
    groups = [bunch.target_names[group] for group in bunch.target]
    full = [i for i, text in enumerate(bunch.data) if text.strip()]
    return packed(
        Documents(
            texts=tuple(bunch.data[i] for i in full),
            names=tuple(f"{groups[i]}, message {i + 1}" for i in full),
            source="20 newsgroups",
            unit="one message",
            dropped=len(groups) - len(full),
        )
    )
