/** packages/kit is not published: a build copies its modules into the package that uses them. */
export const hooks = {
  beforePacking(manifest) {
    delete manifest.dependencies?.['@cdn/kit']
    return manifest
  },
}
