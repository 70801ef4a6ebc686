"""Twenty plausible faults, as small changes of the source, and the test file that catches each. See `apply.py`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """A fault: in `file`, which exists once, the text `old` becomes `new`.

    Where the code moves, `file` and `old` follow it; the fault stays the same. `tests` is where it is looked for first.
    """

    name: str
    file: str
    old: str
    new: str
    tests: str


FAULTS = (
    Fault(
        "noise of every draw is too small by a factor √2",
        "core/noise.py",
        "        return std * rng.standard_normal(shape)",
        "        return std / 2**0.5 * rng.standard_normal(shape)",
        "tests/core/test_noise.py",
    ),
    Fault(
        "a site that dropped out still counts in the average",
        "core/schemes/parts.py",
        "np.where(left, self.weights, 0.0) / self.weights[left].sum()",
        "np.where(left, self.weights, 0.0) / self.weights.sum()",
        "tests/core/schemes/test_schemes.py",
    ),
    Fault(
        "the promise against the aggregator is that of before the dropouts",
        "core/schemes/noise_design.py",
        'silent = members("dropped", dropped, self.sites)',
        'silent = members("dropped", (), self.sites)',
        "tests/core/schemes/test_design.py",
    ),
    Fault(
        "what colluding sites know is forgotten",
        "core/schemes/noise_design.py",
        "sum_of_smallest(hidden, self.sites - 1 - colluding)",
        "sum_of_smallest(hidden, self.sites - 1)",
        "tests/core/schemes/test_design.py",
    ),
    Fault(
        "an ε that is a bound is rounded down",
        "core/privacy/gaussian.py",
        "        epsilon *= 1 + 1e-14\n    return epsilon",
        "        epsilon *= 1 + 1e-14\n    return epsilon * (1 - 1e-6)",
        "tests/core/privacy/test_privacy.py",
    ),
    Fault(
        "repeated releases count once in the privacy account",
        "core/privacy/accountant.py",
        "squares=self.squares + releases * (mu * mu),",
        "squares=self.squares + mu * mu,",
        "tests/core/privacy/test_account.py",
    ),
    Fault(
        "the sensitivity of moments about the mean is that of an added record",
        "core/pca/private_mean.py",
        "return math.sqrt(square) / check.at_least",
        "return math.sqrt(square) / 2 / check.at_least",
        "tests/core/test_pca_about_mean.py",
    ),
    Fault(
        "a grid of settings gives its values to the wrong axes",
        "core/sweep/runs.py",
        "for name, v in zip(axes, row, strict=True)",
        "for name, v in zip(reversed(axes), row, strict=True)",
        "tests/core/sweep/test_sweep.py",
    ),
    Fault(
        "rounding to whole numbers costs no sensitivity",
        "core/discrete/grid.py",
        " / self.step + ROUNDING * math.sqrt(self.size)",
        " / self.step",
        "tests/core/schemes/test_discrete_release.py",
    ),
    Fault(
        "a secure sum is opened with one site fewer than agreed",
        "core/secure_sum/protocol.py",
        "if len(left) < threshold:",
        "if len(left) < threshold - 1:",
        "tests/core/secure_sum/test_dropouts.py",
    ),
    Fault(
        "an audit's bounds of two rates each use the whole error",
        "core/audit/auditor.py",
        "1 - (1 - confidence) / 2",
        "1 - 2 * (1 - confidence)",
        "tests/core/audit/test_audit.py",
    ),
    Fault(
        "a sweep loses its last row",
        "core/sweep/runs.py",
        "return pd.DataFrame([rows[i] for i in sorted(rows)])",
        "return pd.DataFrame([rows[i] for i in sorted(rows)[: len(rows) - 1]])",
        "tests/core/sweep/test_sweep.py",
    ),
    Fault(
        "records outside of their public bound are counted, and not clipped",
        "data/bounds.py",
        "    if count:\n        records = records.copy()",
        "    if count < 0:\n        records = records.copy()",
        "tests/data/test_bounds.py",
    ),
    Fault(
        "the last line of a file of documents is lost",
        "data/upload/plain.py",
        "    return texts, numbers\n",
        "    return texts[:-1], numbers[:-1]\n",
        "tests/data/upload/test_upload.py",
    ),
    Fault(
        "a link loses a setting whose value is zero or off",
        "dashboard/state/url.py",
        "        if full or value != default:\n",
        "        if full or (value and value != default):\n",
        "tests/dashboard/state/test_settings.py",
    ),
    Fault(
        "a link shows a seed that is secret",
        "dashboard/state/url.py",
        'if name != "noise_seed" or not seeds.secret()]',
        "if name]",
        "tests/dashboard/state/test_entropy.py",
    ),
    Fault(
        "one release that is shown twice counts twice",
        "dashboard/state/ledger.py",
        "            if mark not in self._seen:\n",
        "            if mark:\n",
        "tests/dashboard/state/test_ledger.py",
    ),
    Fault(
        "a picture stays that of the settings before",
        "dashboard/page/lifecycle.py",
        "        self._due = True\n        self._catch_up()",
        "        self._catch_up()",
        "tests/packs/notebook/test_explore.py",
    ),
    Fault(
        "a name that a user gave is written into a page as markup",
        "dashboard/state/html_text.py",
        "    return html.escape(text)\n",
        "    return text\n",
        "tests/packs/consortium/test_sites_page.py",
    ),
    Fault(
        "what was read of a user's file is written to the log",
        "dashboard/own_table/file.py",
        "        def read(cancelled):\n            parsed",
        "        __import__('logging').warning('%s', pieces[0][:80])\n\n        def read(cancelled):\n            parsed",
        "tests/dashboard/test_hostile_files.py",
    ),
)
