"""Real tables: complete, within their stated ranges, and clear about what is missing."""

import urllib.error

import numpy as np
import pytest

from data import cache, real

BUNDLED = [about.name for about in real.available() if about.bundled]
REFUSED = urllib.error.URLError("Name or service not known")


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("CAPE_LAB_CACHE", str(tmp_path))
    return tmp_path


def refuse(*arguments, **options):
    raise REFUSED


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_data_are_complete_and_in_range(name):
    data = real.load(name, download=False)
    assert data.records.shape == data.about.shape
    assert data.target.shape == (len(data.records),)
    assert len(data.features) == len(data.lower) == len(data.upper) == data.records.shape[1]
    assert (data.records >= data.lower).all()
    assert (data.records <= data.upper).all()
    assert data.target_range[0] <= data.target.min()
    assert data.target.max() <= data.target_range[1]
    if data.about.target == "classes":
        assert data.target.max() + 1 == len(data.classes)


@pytest.mark.parametrize("name", BUNDLED)
@pytest.mark.parametrize("how", ["norm", "centre", "range", "published"])
def test_scaled_records_lie_in_the_unit_ball_and_say_if_that_was_private(name, how):
    data = real.load(name)
    result = data.scaled(how)
    norms = np.linalg.norm(result.records, axis=1)
    assert norms.max() <= 1
    assert norms.max() > 0.3
    assert result.clipped == 0
    assert result.private == (how != "published" and data.ranges_public)
    np.testing.assert_allclose(result.records * result.divisor + result.shift, data.records, atol=1e-9)


def test_digits_bounds_follow_from_the_pixel_range():
    data = real.load("digits")
    assert data.about.image_shape == (8, 8)
    assert data.scaled("norm").divisor == 128
    centred = data.scaled("centre")
    assert centred.divisor == 64
    np.testing.assert_array_equal(centred.shift, 8)
    # For equal ranges the box and the centred ball are the same map.
    np.testing.assert_allclose(data.scaled("range").records, centred.records, atol=1e-14)


def test_scaling_does_not_change_when_a_record_does():
    data = real.load("diabetes")
    other = data.records.copy()
    other[0] = data.upper
    changed = real.RealData(**{**data.__dict__, "records": other})
    for how in ("norm", "centre", "range"):
        np.testing.assert_array_equal(changed.scaled(how).records[1:], data.scaled(how).records[1:])
    assert (changed.scaled("published").records[1:] != data.scaled("published").records[1:]).any()


def test_a_smaller_bound_clips_and_counts():
    data = real.load("digits")
    result = data.scaled("norm", bound=60)
    assert result.clipped == (np.linalg.norm(data.records, axis=1) > 60).sum() > 0
    assert np.linalg.norm(result.records, axis=1).max() <= 1
    with pytest.raises(ValueError, match="bound must"):
        data.scaled("range", bound=3)


def test_target_is_mapped_by_its_public_range():
    data = real.load("diabetes")
    np.testing.assert_allclose(data.scaled_target().records, data.target / 200 - 1)
    assert set(real.load("breast_cancer").scaled_target((0, 1)).records) == {0.0, 1.0}


def test_samples_are_distinct_records_drawn_by_the_generator():
    rng = np.random.default_rng
    one, same, other = (real.load("digits", samples=50, rng=rng(seed)).records for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()
    assert len(np.unique(one, axis=0)) == 50
    with pytest.raises(ValueError, match=r"1 to 1797.*1798"):
        real.load("digits", samples=1798, rng=rng(0))
    with pytest.raises(ValueError, match="rng must"):
        real.load("digits", samples=5)


def test_available_lists_what_is_on_disk():
    listed = {about.name: about for about in real.available()}
    assert listed["mnist"].shape == (60_000, 784)
    assert listed["covertype"].shape == (581_012, 54)
    assert all(listed[name].on_disk for name in BUNDLED)
    assert not listed["mnist"].on_disk
    with pytest.raises(ValueError, match=r"name must.*'digits'"):
        real.load("no such set")


@pytest.mark.parametrize(("name", "title"), [("mnist", "MNIST"), ("covertype", "Covertype")])
def test_offline_is_said_in_words(name, title, monkeypatch, empty_cache):
    with pytest.raises(real.DownloadError, match=f"{title} is") as error:
        real.load(name, download=False)
    assert str(empty_cache) in str(error.value)
    monkeypatch.setattr(cache, "reach", refuse)
    with pytest.raises(real.DownloadError, match=rf"{title}.*downloaded"):
        real.load(name)


def test_a_download_is_kept_and_a_damaged_file_fetched_again(empty_cache, monkeypatch):
    monkeypatch.setattr(cache, "reach", lambda address: None)
    fetched = []

    def fetch(scratch):
        fetched.append(scratch)
        return {"records": np.arange(6).reshape(3, 2)}

    options = {"title": "Sample", "address": "https://example.org", "fetch": fetch}
    for _ in range(2):
        np.testing.assert_array_equal(
            cache.downloaded("sample", **options)["records"], [[0, 1], [2, 3], [4, 5]]
        )
    assert len(fetched) == 1
    assert [path.name for path in empty_cache.iterdir()] == ["sample.npz"]
    file = empty_cache / "sample.npz"
    file.write_bytes(file.read_bytes()[:-40])
    cache.downloaded("sample", **options)
    assert len(fetched) == 2


def test_an_incomplete_table_is_refused(monkeypatch):
    cache.write("covertype", {"records": np.zeros((5, 54)), "target": np.zeros(5)})
    with pytest.raises(real.DownloadError, match=r"\(581012, 54\).*Delete"):
        real.load("covertype")


def test_fetched_tables_become_small_arrays(monkeypatch):
    from sklearn import datasets
    from sklearn.utils import Bunch

    pixels = np.broadcast_to(np.arange(784) % 256, (60_003, 784))
    labels = np.array([str(i % 10) for i in range(60_003)], dtype=object)
    monkeypatch.setattr(datasets, "fetch_openml", lambda *a, **k: Bunch(data=pixels, target=labels))
    monkeypatch.setattr(cache, "reach", lambda address: None)
    data = real.load("mnist", samples=20, rng=np.random.default_rng(0))
    assert data.records.shape == (20, 784)
    kept = cache.read("mnist")
    assert kept["records"].shape == (60_000, 784)
    assert kept["target"][:12].tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1]
    assert data.scaled().divisor == 255 * 28
    monkeypatch.setattr(cache, "reach", refuse)
    # Kept: the second time needs no network, and the listing knows.
    again = real.load("mnist", samples=20, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(again.records, pixels[:20])
    np.testing.assert_array_equal(again.target, data.target)
    assert {about.name for about in real.available() if about.on_disk} == {*BUNDLED, "mnist"}


def test_covertype_keeps_its_values_and_starts_classes_at_zero(monkeypatch):
    from sklearn import datasets
    from sklearn.utils import Bunch

    rows = np.array([[2596.0, 51, 3, 258, -173, 510, 221, 232, 148, 6279, *[1] * 44]] * 3)
    bunch = Bunch(data=rows, target=np.array([1, 5, 7]), feature_names=[f"f{i}" for i in range(54)])
    monkeypatch.setattr(datasets, "fetch_covtype", lambda **k: bunch)
    arrays = real.sets._fetch_covertype("unused")
    np.testing.assert_array_equal(arrays["records"], rows)
    assert arrays["target"].tolist() == [0, 4, 6]
    assert len(arrays["classes"]) == 7


def test_an_unwritable_cache_is_no_error(monkeypatch, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("CAPE_LAB_CACHE", str(blocked / "below"))
    assert not cache.write("sample", {"x": np.zeros(1)})
    assert cache.read("sample") is None


@pytest.mark.parametrize(
    ("platform", "variable", "ending"),
    [("linux", "XDG_CACHE_HOME", "cape-lab"), ("win32", "LOCALAPPDATA", "cape-lab")],
)
def test_the_cache_follows_the_systems_customs(platform, variable, ending, monkeypatch, tmp_path):
    monkeypatch.delenv("CAPE_LAB_CACHE")
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setenv(variable, str(tmp_path / "here"))
    assert cache.folder() == tmp_path / "here" / ending
