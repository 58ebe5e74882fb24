# One static file and nothing else: no shell, no libraries, no user database.
# Build the file first: just dist
FROM scratch
COPY target/dist/slipway /slipway
USER 65532:65532
ENTRYPOINT ["/slipway"]
