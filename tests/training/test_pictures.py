"""Pictures of exercises: the command that loads them, their files, and where they are shown."""

import io
import os
import struct
import subprocess
import sys
import zlib

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from PIL import Image, PngImagePlugin

from fitness.api import rate_limits
from tests.conftest import a_set, statements
from tests.mcp_endpoint.conftest import ToolClient
from tests.server import ROOT
from training.management.commands import load_images
from training.models import Exercise
from training.pictures import index

pytestmark = pytest.mark.django_db

BENCH = "barbell-bench-press"
PLANK = "plank"


def drawn(size=(850, 567), colour="red", form="JPEG", mode="RGB", **options):
    """The bytes of a picture of one colour."""
    file = io.BytesIO()
    Image.new(mode, size, colour).save(file, form, **options)
    return file.getvalue()


def png_of_size(width, height):
    """A PNG of few bytes whose head says that it is so large."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return drawn(form="PNG").replace(
        *[
            b"IHDR" + part + struct.pack(">I", zlib.crc32(b"IHDR" + part))
            for part in (struct.pack(">IIBBBBB", 850, 567, 8, 2, 0, 0, 0), head)
        ]
    )


@pytest.fixture(autouse=True)
def data_dir(settings, tmp_path):
    """Where the service keeps its pictures: none of another test."""
    settings.DATA_DIR = tmp_path / "data"
    return settings.DATA_DIR


@pytest.fixture
def source(tmp_path):
    """A folder in the layout of free-exercise-db, with two pictures of one exercise."""
    folder = tmp_path / "free-exercise-db"
    put(folder, "exercises/Barbell_Bench_Press/0.jpg", drawn())
    put(folder, "exercises/Barbell_Bench_Press/1.jpg", drawn(colour="blue"))
    put(folder, "exercises/Barbell_Bench_Press.json", b"{}")
    return folder


def put(folder, name, content):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def load(folder):
    """The lines of the report."""
    output = io.StringIO()
    call_command("load_images", str(folder), stdout=output)
    return output.getvalue().splitlines()


@pytest.fixture
def loaded(source):
    load(source)


def left_out(folder):
    """{path: why} of a load."""
    lines = [line.removeprefix("left out ") for line in load(folder) if line.startswith("left out ")]
    return dict(line.split(": ", 1) for line in lines)


def images(api, exercise=BENCH):
    return api.get(f"/exercises/{exercise}").json()["images"]


def path_of(address):
    return address.removeprefix("http://testserver")


def files(data_dir):
    return sorted(path.name for path in (data_dir / "images").iterdir())


def test_pictures_are_loaded_in_two_widths(source, data_dir):
    (line,) = load(source)
    assert line == f"in {data_dir}/images: 2 pictures of 1 exercise, 0.0 of 40 MB; 0 left out"
    *found, last = files(data_dir)
    assert last == "index.json"
    shapes = [Image.open(data_dir / "images" / name).size for name in found]
    assert sorted(shapes) == [(192, 128), (192, 128), (640, 427), (640, 427)]


def test_a_proxy_of_another_user_may_serve_them(source, data_dir):
    before = os.umask(0o077)  # that of manage.py
    load(source)
    os.umask(before)
    folder = data_dir / "images"
    assert oct(folder.stat().st_mode)[-3:] == "755"
    assert {oct(path.stat().st_mode)[-3:] for path in folder.iterdir()} == {"644"}


def test_the_folder_of_the_exercises_itself_does_as_well(source):
    assert "2 pictures" in load(source / "exercises")[-1]


@pytest.mark.parametrize(
    "name", [BENCH, "Barbell_Bench_Press", "barbell bench press", "Flat_Bench_Press", "Bench_Press"]
)
def test_a_folder_is_named_as_the_exercise_is_its_id_or_another_name_of_it(api, tmp_path, name):
    put(tmp_path, f"some/{name}/0.jpg", drawn())
    load(tmp_path / "some")
    assert len(images(api)) == 1


def test_pictures_of_a_merged_exercise_are_those_of_the_one_that_is_kept(api, source):
    Exercise.objects.get(pk=BENCH).merge_into(Exercise.objects.get(pk=PLANK))
    load(source)
    assert len(images(api, PLANK)) == 2


def test_pictures_come_in_the_order_of_their_numbers(api, source):
    for name in (10, 2):
        colour = {10: "lime", 2: "white"}[name]
        put(source, f"exercises/Barbell_Bench_Press/{name}.jpg", drawn(colour=colour))
    load(source)
    assert list(map(colour_at, images(api))) == [(255, 0, 0), (0, 0, 255), (255, 255, 255), (0, 255, 0)]


def colour_at(address):
    image = Image.open(io.BytesIO(Client().get(path_of(address)).content))
    return tuple(round(value / 255) * 255 for value in image.getpixel((5, 5)))


@pytest.mark.parametrize(
    ("content", "size"),
    [
        (drawn((100, 60)), (100, 60)),
        (drawn((400, 1600)), (160, 640)),
        (drawn((4000, 4000)), (640, 640)),
        (drawn((900, 600), 0, mode="L"), (640, 427)),
        (drawn((900, 600), form="WEBP"), (640, 427)),
        (drawn((900, 600), 1, "PNG", "P"), (640, 427)),
        (drawn((900, 600), (0, 0, 0, 0), mode="CMYK"), (640, 427)),
    ],
)
def test_any_picture_becomes_webp_no_wider_than_it_was(content, size):
    _, large = load_images.resized(content)
    image = Image.open(io.BytesIO(large.content))
    assert (image.format, image.size, (large.width, large.height)) == ("WEBP", size, size)


def test_what_is_transparent_becomes_white():
    _, large = load_images.resized(drawn(colour=(0, 0, 0, 0), form="PNG", mode="RGBA"))
    assert Image.open(io.BytesIO(large.content)).getpixel((0, 0)) == (255, 255, 255)


def test_a_picture_is_upright_and_its_metadata_are_gone():
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was turned
    exif[0x010E] = "where it was taken"
    _, large = load_images.resized(drawn((900, 600), exif=exif))
    image = Image.open(io.BytesIO(large.content))
    assert (image.size, dict(image.getexif()), "exif" in image.info) == ((427, 640), {}, False)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "no JPEG, PNG or WebP"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "no JPEG, PNG or WebP"),
        (drawn((20, 20), form="GIF"), "no JPEG, PNG or WebP"),
        (drawn((20, 20), form="TIFF"), "no JPEG, PNG or WebP"),
        (drawn()[:3000], "damaged: image file is truncated"),
        (drawn(form="PNG")[:600], "damaged: "),
        (drawn(form="WEBP")[:100], "damaged: |no JPEG, PNG or WebP"),
        (png_of_size(60_000, 60_000), "more than 16,000,000 pixels"),
        (png_of_size(10_000, 10_000), "more than 16,000,000 pixels"),
        (png_of_size(4_001, 4_000), "more than 16,000,000 pixels"),
        (b"\xff\xd8" + bytes(10_000_000), "more than 10,000,000 bytes"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_a_damaged_foreign_or_huge_file_is_named_and_the_others_are_loaded(api, source, content, why):
    put(source, "exercises/Barbell_Bench_Press/1.jpg", content)
    told = left_out(source)
    assert list(told) == ["Barbell_Bench_Press/1.jpg"]
    assert told["Barbell_Bench_Press/1.jpg"].startswith(tuple(why.split("|")))
    assert len(images(api)) == 1


def test_a_text_that_unpacks_to_much_memory_is_damage(source):
    text = PngImagePlugin.PngInfo()
    text.add_text("bomb", "x" * 100_000_000, zip=True)
    put(source, "exercises/Barbell_Bench_Press/1.jpg", drawn((9, 9), form="PNG", pnginfo=text))
    assert left_out(source)["Barbell_Bench_Press/1.jpg"].startswith("damaged: ")


def test_no_link_leads_out_of_the_folder(source, tmp_path):
    outside = put(tmp_path, "outside/0.jpg", drawn())
    (source / "exercises/Barbell_Bench_Press/2.jpg").symlink_to(outside)
    (source / "exercises/Plank").symlink_to(outside.parent)
    assert left_out(source) == {
        "Barbell_Bench_Press/2.jpg": "no file: links and folders are not followed",
        "Plank": "no folder of an exercise",
    }


def test_a_linked_folder_of_exercises_is_not_followed(source, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "exercises").symlink_to(source / "exercises")
    with pytest.raises(CommandError, match="has no picture to load"):
        load(tmp_path / "other")


def test_what_belongs_to_no_exercise_is_named(source):
    put(source, "exercises/Moon_Walk/0.jpg", drawn())
    put(source, "exercises/notes.txt", b"")
    put(source, "exercises/Barbell_Bench_Press/deeper/0.jpg", drawn())
    assert left_out(source) == {
        "Moon_Walk": "the catalogue has no exercise of that name",
        "notes.txt": "no folder of an exercise",
        "Barbell_Bench_Press/deeper": "no file: links and folders are not followed",
    }


def test_a_pipe_is_not_waited_for(source):
    os.mkfifo(source / "exercises/Barbell_Bench_Press/2.jpg")
    assert "Barbell_Bench_Press/2.jpg" in left_out(source)


def test_a_name_cannot_write_to_the_terminal(source):
    put(source, "exercises/\x1b[2J/0.jpg", drawn())
    assert list(left_out(source)) == [r"'\x1b[2J'"]


def test_of_two_folders_of_an_exercise_the_shorter_name_counts(source):
    put(source, "exercises/Bench_Press/0.jpg", drawn())
    assert left_out(source) == {
        "Barbell_Bench_Press": "Barbell Bench Press has pictures of another folder already"
    }


def test_an_exercise_has_at_most_four(api, source):
    for number in range(2, 6):
        put(source, f"exercises/Barbell_Bench_Press/{number}.jpg", drawn())
    assert list(left_out(source)) == ["Barbell_Bench_Press/4.jpg", "Barbell_Bench_Press/5.jpg"]
    assert len(images(api)) == 4


def test_all_together_stay_below_the_bound(api, source, data_dir, monkeypatch):
    put(source, "exercises/Plank/0.jpg", drawn())
    first = sum(len(one.content) for one in load_images.resized(drawn()))
    monkeypatch.setattr(load_images, "MAX_TOTAL", 2 * first)
    told = left_out(source)
    assert told == {
        "Barbell_Bench_Press/1.jpg": f"no room: all pictures together may have {2 * first:,} bytes"
    }
    sizes = [path.stat().st_size for path in (data_dir / "images").glob("*.webp")]
    assert sum(sizes) <= 2 * first


def test_the_same_folder_again_changes_nothing(api, source, data_dir):
    load(source)
    before = files(data_dir), images(api)
    load(source)
    assert (files(data_dir), images(api)) == before


def test_another_folder_takes_the_place_of_the_first(api, source, data_dir, tmp_path):
    load(source)
    before = images(api)
    put(data_dir, "images/plank-1-0123456789ab-640.webp.unfinished", b"killed")
    put(data_dir, "images/README", b"of somebody")
    put(tmp_path, "other/Plank/0.jpg", drawn())
    load(tmp_path / "other")
    assert (images(api), len(images(api, PLANK))) == ([], 1)
    assert {Client().get(path_of(address)).status_code for address in before} == {404}
    assert len(files(data_dir)) == 4  # both widths, the index, and what is not ours


def test_a_picture_that_has_changed_has_another_address(api, source):
    load(source)
    first, second = images(api)
    put(source, "exercises/Barbell_Bench_Press/0.jpg", drawn(colour="lime"))
    load(source)
    assert images(api)[0] != first
    assert images(api)[1] == second


@pytest.mark.parametrize("wrong", ["empty", "missing", "a file"])
def test_a_folder_without_pictures_leaves_what_is_there(api, source, tmp_path, wrong):
    load(source)
    (tmp_path / "empty").mkdir()
    (tmp_path / "a file").write_bytes(b"")
    with pytest.raises(CommandError, match=wrong):
        load(tmp_path / wrong)
    assert len(images(api)) == 2


def test_images_are_whole_addresses(api, loaded):
    first, second = images(api)
    assert first.startswith(f"http://testserver/images/{BENCH}-1-")
    assert second.startswith(f"http://testserver/images/{BENCH}-2-")
    assert first.endswith("-640.webp")


def test_images_are_at_the_public_address(api, loaded, settings):
    settings.PUBLIC_URL = "https://fitness.example.org"
    assert images(api)[0].startswith("https://fitness.example.org/images/")


def test_lists_have_them_and_those_that_staff_have_named(api, loaded):
    Exercise.objects.filter(pk=BENCH).update(images=["https://example.org/1.png"])
    for query in ({"q": "barbell bench press"}, {"muscle_group": "Chest", "limit": 100}):
        found = {one["id"]: one["images"] for one in api.get("/exercises", **query).json()["exercises"]}
        assert found[BENCH] == images(api)
        assert [address.split("/")[2] for address in found[BENCH]] == [
            "example.org",
            "testserver",
            "testserver",
        ]
        assert all(addresses == [] for pk, addresses in found.items() if pk != BENCH)


def test_a_tool_has_them_too(api, loaded):
    found = ToolClient(api.key).get("search_exercises", query="barbell bench press")
    assert found["exercises"][0]["images"][0].startswith(f"http://localhost:8000/images/{BENCH}-1-")


def test_they_take_no_statement(api, page, source):
    screens = (
        "/exercises",
        f"/exercises/{BENCH}",
        "/exercise-suggestions?q=bench",
        f"/train/exercises/{BENCH}",
    )

    def run():
        with statements() as executed:
            answers = [api.get("/exercises"), api.get(f"/exercises/{BENCH}"), *map(page.get, screens)]
        assert {answer.status_code for answer in answers} == {200}
        return len(executed)

    run()
    before = run()
    load(source)
    assert run() == before


def test_a_damaged_index_is_a_line_in_the_log_and_no_picture(api, loaded, data_dir, caplog):
    (data_dir / "images" / "index.json").write_text('{"plank": [[["a.webp"]]]}')
    assert images(api, PLANK) == []
    assert "no pictures are shown" in caplog.text


def test_the_index_is_read_once_until_it_changes(api, source):
    load(source)
    images(api)
    kept = index.read()
    assert index.read() is kept
    load(source)
    assert index.read() is not kept


def test_pillow_is_loaded_by_the_command_alone():
    code = "import sys, fitness.wsgi; from django.urls import reverse; reverse('home'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True)
    modules = done.stdout.decode().split()
    assert "training.pictures" in modules
    assert [name for name in modules if name.split(".")[0] == "PIL"] == []


def test_a_picture_is_for_everybody_and_for_good(api, client, page, loaded):
    address = path_of(images(api)[0])
    for browser in (client, page):
        with statements() as run:
            response = browser.get(address)
        assert response.status_code == 200
        assert response.headers["Content-Type"] == "image/webp"
        assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert "Vary" not in response.headers
        assert not response.cookies
        assert run == []


def test_pictures_do_not_count_against_the_limit_of_pages(api, client, loaded, monkeypatch):
    monkeypatch.setattr(rate_limits, "LIMITS", {**rate_limits.LIMITS, "pages": "3/m"})
    address = path_of(images(api)[0])
    assert {client.get(address).status_code for _ in range(5)} == {200}
    assert client.get("/sign-in").status_code == 200


@pytest.mark.parametrize(
    "name",
    [
        "index.json",
        "plank-1-000000000000-640.webp",
        "../secret.webp",
        "%2e%2e/secret.webp",
        "..%2fsecret.webp",
        "/etc/passwd",
        "deeper/1.webp",
        "1.webp%00",
        "1.webp%0a",
        "a" * 5000 + ".webp",
        ".webp",
        "",
    ],
)
def test_nothing_else_is_served(client, loaded, data_dir, name):
    put(data_dir, "secret.webp", b"secret")
    put(data_dir, "images/deeper/1.webp", b"secret")
    response = client.get(f"/images/{name}")
    assert response.status_code == 404
    assert b"secret" not in response.content


def test_a_picture_is_only_read(api, loaded):
    assert Client().post(path_of(images(api)[0])).status_code == 405
    head = Client().head(path_of(images(api)[0]))
    assert (head.status_code, head.content) == (200, b"")


def thumbs(page, address):
    return page.get(address).content.decode().count('<img class="thumb"')


def test_lists_show_a_small_picture_beside_the_name(page, loaded, log_workout):
    assert thumbs(page, "/exercises?q=barbell+bench+press") == 1
    assert thumbs(page, "/exercise-suggestions?q=barbell+bench+press") == 1
    log_workout(a_set())
    text = page.get("/exercises").content.decode()
    assert f'<img class="thumb" src="/images/{BENCH}-1-' in text
    assert 'width="192" height="128" alt="" loading="lazy"' in text
    assert '<span class="thumb"></span>' in text


def test_the_page_of_an_exercise_shows_all_and_the_muscles(page, loaded):
    text = page.get(f"/exercises/{BENCH}").content.decode()
    assert 'width="640" height="427" alt="Barbell Bench Press, picture 1 of 2" loading="lazy"' in text
    assert 'alt="Barbell Bench Press, picture 2 of 2"' in text
    assert '<svg class="figure"' in text


def test_an_exercise_without_pictures_shows_the_muscles_alone(page, loaded):
    text = page.get(f"/exercises/{PLANK}").content.decode()
    assert ("/images/" in text, "thumb" in text, '<svg class="figure"' in text) == (False, False, True)


@pytest.mark.parametrize("address", ["/exercises", f"/exercises/{BENCH}", "/exercise-suggestions?q=bench"])
def test_without_pictures_pages_are_as_they_were(page, address):
    text = page.get(address).content.decode()
    assert ("/images/" in text, "thumb" in text) == (False, False)


def test_train_has_them_for_how_to(page, source):
    address = f"/train/exercises/{BENCH}"
    assert "pictures" not in page.get(address).json()
    load(source)
    first, _ = page.get(address).json()["pictures"]
    assert first["src"].startswith(f"/images/{BENCH}-1-")
    assert (first["width"], first["height"]) == (640, 427)
