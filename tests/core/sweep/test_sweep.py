"""Sweeps: tidy, repeatable, the same on any executor, cancellable; statistics computed once."""

import os
import pickle
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from core import Privacy, pca, release, sweep
from core.privacy import gaussian_std
from core.schemes import SCHEMES
from core.sweep.memory import Memory

COUNT = {"statistics": 0, "nonprivate": 0}


@dataclass(frozen=True)
class Mean:
    """Averaging as a problem."""

    fail_at: float = -1.0
    data_settings = ("sites", "data_seed")
    methods = SCHEMES

    def statistics(self, settings):
        COUNT["statistics"] += 1
        return np.random.default_rng(settings["data_seed"]).random((settings["sites"], 2))

    def estimate(self, statistics, scheme, privacy, rng, settings):
        COUNT["nonprivate"] += scheme == "nonprivate"
        if settings.get("epsilon") == self.fail_at:
            raise ValueError("epsilon is unlucky")
        value = release(statistics, 0.01, privacy, scheme=scheme, rng=rng).value
        return {"error": float(np.abs(value - statistics.mean(axis=0)).max())}


CELLS = sweep.grid(epsilon=[0.1, 1.0, 10.0], delta=1e-5, sites=4, data_seed=0)


def run(problem=None, **options):
    options = {"schemes": ("nonprivate", "conventional", "cape"), "repeats": 3, "seed": 1, **options}
    return sweep.run(problem or Mean(), CELLS, **options)


def test_one_tidy_row_per_run():
    table = run()
    assert len(table) == 3 * (1 + 3 + 3)
    assert set(table.columns) == {"epsilon", "delta", "sites", "data_seed", "scheme", "repeat", "error"}
    assert (table[table.scheme == "nonprivate"].error == 0).all()
    mean = table.groupby(["scheme", "epsilon"]).error.mean()
    assert mean["cape", 0.1] > mean["cape", 10.0]


def test_the_same_seed_gives_the_same_table_and_another_does_not():
    pd.testing.assert_frame_equal(run(), run())
    assert (run(seed=2).error != run().error).any()


def test_common_noise_differs_by_the_settings_alone():
    table = run(common=True).set_index(["scheme", "repeat", "epsilon"]).error
    ratio = gaussian_std(1.0, Privacy(0.1, 1e-5)) / gaussian_std(1.0, Privacy(1.0, 1e-5))
    for scheme in ("conventional", "cape"):
        for repeat in range(3):
            assert table[scheme, repeat, 0.1] / table[scheme, repeat, 1.0] == pytest.approx(ratio)
    assert table["cape", 0, 1.0] != table["cape", 1, 1.0]
    assert table["cape", 0, 1.0] != run().set_index(["scheme", "repeat", "epsilon"]).error["cape", 0, 1.0]


def test_a_run_does_not_depend_on_the_rest_of_the_grid():
    whole = run()
    alone = sweep.run(Mean(), CELLS[1:2], schemes=("cape",), repeats=3, seed=1)
    part = whole[(whole.scheme == "cape") & (whole.epsilon == 1.0)].reset_index(drop=True)
    pd.testing.assert_frame_equal(part, alone)


@pytest.mark.parametrize("pool", (ThreadPoolExecutor, ProcessPoolExecutor))
def test_executors_give_the_same_table_as_running_here(pool):
    with pool(2) as executor:
        pd.testing.assert_frame_equal(run(executor=executor), run())


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same_table_as_running_here():
    if os.environ.get("CI") != "true":
        pytest.importorskip("distributed", reason="install the extra dask")
    import distributed

    # Workers in threads start at once; what passes between them and the client is pickled all the same.
    local = {"host": "127.0.0.1", "protocol": "tcp", "dashboard_address": None, "processes": False}
    with distributed.LocalCluster(n_workers=2, **local) as cluster, distributed.Client(cluster) as client:
        table = run(executor=client.get_executor())
        assert len(client.scheduler_info()["workers"]) == 2
        with pytest.raises(ValueError, match="epsilon is"):
            run(Mean(fail_at=1.0), executor=client.get_executor())
    pd.testing.assert_frame_equal(table, run())


def test_moving_epsilon_recomputes_neither_statistics_nor_the_plain_answer():
    COUNT.update(statistics=0, nonprivate=0)
    run(Mean(fail_at=-2.0))  # No other test has this problem, or forgets it.
    assert COUNT["statistics"] == COUNT["nonprivate"] == 1


def test_what_is_forgotten_is_computed_again_and_a_failure_is_not_remembered():
    problem = Mean(fail_at=-3.0)
    run(problem)
    COUNT.update(statistics=0)
    run(problem)
    assert COUNT["statistics"] == 0
    sweep.forget(problem)
    run(problem)
    assert (
        COUNT["statistics"] >= 1
    )  # Workers that other tests left behind may forget it once more, a little later.
    memory = Memory(size=2)
    with pytest.raises(ValueError, match="once"):
        memory.recall((Mean(),), lambda: int("once"))
    assert memory.recall((Mean(),), lambda: 7) == 7


def test_threads_that_want_the_same_statistics_share_one_computation():
    gate, calls = threading.Event(), []
    memory = Memory(size=2)

    def slow():
        calls.append(1)
        gate.wait(5)
        return 3

    with ThreadPoolExecutor(2) as pool:
        answers = [pool.submit(memory.recall, ("key",), slow) for _ in range(2)]
        gate.set()
        assert [a.result() for a in answers] == [3, 3]
    assert len(calls) == 1


def test_results_are_handed_over_as_they_come_and_the_first_repeat_comes_first():
    seen = []
    run(on_result=seen.append)
    assert [row["repeat"] for row in seen] == sorted(row["repeat"] for row in seen)
    assert len(seen) == 21


@pytest.mark.parametrize("threads", (0, 1))
def test_cancelling_stops_and_keeps_what_there_is(threads):
    stop = threading.Event()
    seen = []

    def on_result(row):
        seen.append(row)
        if len(seen) == 2:
            stop.set()

    if threads:
        with ThreadPoolExecutor(threads) as executor:
            table = run(executor=executor, on_result=on_result, cancelled=stop)
    else:
        table = run(on_result=on_result, cancelled=stop)
    assert len(table) == len(seen) == 2


def test_an_error_in_a_run_is_raised_with_its_words():
    with pytest.raises(ValueError, match="epsilon is"):
        run(Mean(fail_at=1.0))


def test_bad_settings_are_named():
    with pytest.raises(ValueError, match="schemes must"):
        run(schemes=("capes",))
    with pytest.raises(ValueError, match=r"repeats must.*1.*0"):
        run(repeats=0)


def load(settings):
    records = np.random.default_rng(settings["data_seed"]).normal(
        size=(settings["sites"], settings["samples"], 6)
    )
    return list(records / np.linalg.norm(records, axis=2).max()), None


def test_pca_is_a_problem_and_its_jobs_pickle():
    problem = pca.Problem(load)
    cells = sweep.grid(epsilon=[0.1, 1000.0], delta=1e-3, sites=3, samples=50, k=2, data_seed=0)
    jobs = sweep.jobs(problem, cells, schemes=pca.METHODS, repeats=2, seed=0)
    table = pd.DataFrame([pickle.loads(pickle.dumps(job)).run() for job in jobs])
    best = table[table.scheme == "nonprivate"].energy.iloc[0]
    assert (table.energy <= best * (1 + 1e-12)).all()
    loose = table[(table.scheme == "cape") & (table.epsilon == 1000.0)].energy
    fitted = pca.fit(
        *load({"data_seed": 0, "sites": 3, "samples": 50})[:1],
        2,
        scheme="cape",
        privacy=Privacy(1000, 1e-3),
        rng=jobs[-1].rng,
    )
    assert fitted.components.shape == (2, 6)
    assert loose.to_numpy() == pytest.approx(best, rel=0.01)
