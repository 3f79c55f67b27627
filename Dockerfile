# The command line in a container. `make wheel` leaves the wheel in dist; then
#   docker build --tag simsieve .
#   docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/data" simsieve dedup in.jsonl -o kept.jsonl
FROM python:3.13-slim AS cli
COPY dist/simsieve-*.whl /tmp/
RUN pip install --no-cache-dir "$(ls /tmp/simsieve-*.whl)[parquet,mongo,s3,warc,pdf,edit]" && rm /tmp/simsieve-*.whl
# Not root, where no other user is named.
USER 65534:65534
WORKDIR /data
ENTRYPOINT ["simsieve"]
CMD ["--help"]
