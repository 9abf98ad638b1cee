"""Pictures of exercises: files in DATA_DIR/images, which belong to no account and are not in backups.

1. `manage.py load_images FOLDER` calls `load` (loading.py). It finds the exercise of each folder, checks each
   file and resizes it (resizing.py, which alone imports Pillow), and writes the results and their index.
2. Requests call `pictures` (index.py), which reads the index once in each process, and again once it has
   changed. So a request takes neither a statement nor a listing, and no process needs a restart.
3. Browsers fetch the files from `picture` (training/web/views/picture.py), and keep them: each name has a
   digest of the content.

Example of a failure: `Bench_Press/0.jpg` is cut off. `resized` raises Refused, the report names the file, and
the other picture of the exercise is loaded.
"""
