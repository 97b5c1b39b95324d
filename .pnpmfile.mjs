import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const packages = new URL('packages/', import.meta.url)

/** A build copies what a package uses of the workspace, so the tarball may also need dependencies of those packages. */
function withWorkspace(dependencies = {}) {
  const names = Object.keys(dependencies)
  const inner = names.map((name) => {
    if (!name.startsWith('@cdn/')) return { [name]: dependencies[name] }
    const manifest = new URL(`${name.replace('@cdn/', '')}/package.json`, packages)
    return withWorkspace(JSON.parse(readFileSync(manifest, 'utf8')).dependencies)
  })
  return Object.assign({}, ...inner)
}

export const hooks = {
  /** Packs the dependencies that the build names, and no other: neither those nor the scripts of the repository. */
  beforePacking(manifest, folder) {
    const files = readdirSync(join(folder, 'dist'), { recursive: true }).filter((file) => /\.(js|d\.ts)$/.test(file))
    const text = files.map((file) => readFileSync(join(folder, 'dist', file), 'utf8')).join('\n')
    const isNamed = ([name]) => new RegExp(`['"]${name}['"/]`).test(text)
    const dependencies = Object.entries(withWorkspace(manifest.dependencies)).filter(isNamed)
    const { devDependencies: _, scripts: __, ...published } = manifest
    return { ...published, dependencies: Object.fromEntries(dependencies) }
  },
}
