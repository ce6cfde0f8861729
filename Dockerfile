# The executable on a base image with the C library only: no shell, no package manager.

FROM node:22-bookworm-slim AS build
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY build build
COPY src src
RUN npm run build
# Created here because the next stage has no shell; a volume inherits its owner.
RUN install -d -m 0700 -o 65532 -g 65532 /data

FROM gcr.io/distroless/base-nossl-debian12
COPY --from=build /source/dist/petstore /usr/local/bin/petstore
COPY --from=build /source/dist/petstore.cdx.json /usr/share/doc/petstore/petstore.cdx.json
COPY --from=build --chown=65532:65532 /data /data
# Numeric, so that orchestrators can verify that it is not root.
USER 65532:65532
# Both families: "::" also accepts IPv4, and alone on a machine without IPv6.
ENV PETSTORE_HOST=:: PETSTORE_OPS_HOST=:: PETSTORE_DATA_DIR=/data
VOLUME /data
EXPOSE 3000 3001
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD ["/usr/local/bin/petstore", "health"]
ENTRYPOINT ["/usr/local/bin/petstore"]
CMD ["serve"]
