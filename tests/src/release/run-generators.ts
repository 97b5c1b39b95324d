/**
 * Other generators read the contracts of `@cdn/api`: installs its tarball and the generators in an empty folder, generates from both
 * layers of each contract, and compiles the result. Prints the warnings of each generator.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repository } from '../copy.ts'
import { installIn, packTarballs, run } from './pack.ts'

const dependencies = {
  '@hey-api/openapi-ts': '0.99.0',
  '@kubb/cli': '4.39.3',
  '@kubb/core': '4.39.3',
  '@kubb/plugin-client': '4.39.3',
  '@kubb/plugin-oas': '4.39.3',
  '@kubb/plugin-ts': '4.39.3',
  '@redocly/cli': '2.77.0',
  '@stoplight/spectral-cli': '6.16.3',
  orval: '8.38.0',
  'swagger-typescript-api': '13.13.0',
  typescript: '5.9.3',
}

/** The command of each generator. The programs read `kubb.config.mjs`. */
const generators: Readonly<Record<string, (source: string, out: string) => readonly string[]>> = {
  'hey-api': (source, out) => ['openapi-ts', '--input', source, '--output', `${out}/hey-api`],
  orval: (source, out) => ['orval', '--input', source, '--output', `${out}/orval.ts`, '--client', 'fetch'],
  kubb: () => ['kubb', 'generate'],
  'swagger-typescript-api': (source, out) => [
    'swagger-typescript-api',
    'generate',
    ...['--path', source, '--output', out, '--name', 'swagger-typescript-api.ts'],
  ],
  Redocly: (source) => ['redocly', 'lint', source],
  Spectral: (source) => ['spectral', 'lint', source],
}

const kubbConfig = (source: string, out: string) => `
  import { pluginClient } from '@kubb/plugin-client'
  import { pluginOas } from '@kubb/plugin-oas'
  import { pluginTs } from '@kubb/plugin-ts'
  export default {
    root: '.', input: { path: '${source}' }, output: { path: '${out}/kubb', format: false },
    plugins: [pluginOas(), pluginTs(), pluginClient({ client: 'fetch' })],
  }`

const tsconfig = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2023', 'dom', 'dom.iterable'],
    skipLibCheck: true,
    types: [],
    allowImportingTsExtensions: true,
  },
  include: ['generated/**/*.ts'],
}

const folder = mkdtempSync(join(tmpdir(), 'generators-'))
const tarballs = packTarballs()
try {
  const manifest = {
    private: true,
    dependencies: { ...dependencies, '@cdn/api': `file:${tarballs.paths['@cdn/api']}` },
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\n')
  await installIn(folder, 'npm', [])
  const { resolve } = createRequire(join(folder, 'main.js'))
  const failures: string[] = []
  for (const name of ['management', 'management.spec', 'logging', 'logging.spec']) {
    const source = resolve(`@cdn/api/openapi/${name}.json`)
    const out = `generated/${name.replace('.', '-')}`
    mkdirSync(join(folder, out), { recursive: true })
    writeFileSync(join(folder, 'kubb.config.mjs'), kubbConfig(source, out))
    for (const [generator, command] of Object.entries(generators)) {
      const [program = '', ...args] = command(source, out)
      const options = { cwd: folder, env: { CI: '1', DO_NOT_TRACK: '1', REDOCLY_TELEMETRY: 'off' } }
      const ended = await run(join(folder, 'node_modules/.bin', program), args, options)
      const warnings = (ended.out + ended.err).match(/.*\bwarn(?:ing)? .*/gi)
      console.log(`${name}, ${generator}: code ${ended.code}, warnings: ${[...new Set(warnings)].join('; ') || 'none'}`)
      if (ended.code !== 0) failures.push(`${name}, ${generator}: ${ended.out}${ended.err}`)
    }
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
  for (const compiler of ['typescript59', 'typescript']) {
    const program = join(repository, 'tests/node_modules', compiler)
    const ended = await run(process.execPath, [join(program, 'bin/tsc'), '--listFilesOnly'], { cwd: folder })
    const files = ended.out.split('\n').filter((line) => line.includes('/generated/')).length
    const { version } = JSON.parse(readFileSync(join(program, 'package.json'), 'utf8'))
    const { code, out } = await run(process.execPath, [join(program, 'bin/tsc')], { cwd: folder })
    console.log(`TypeScript ${version}: code ${code}, ${files} generated files`)
    if (code !== 0 || files < 50) failures.push(`TypeScript ${version}: ${out}`)
  }
  for (const failure of failures) console.error(failure)
  process.exitCode = failures.length > 0 ? 1 : 0
  console.log(`${Object.keys(generators).length} generators, 4 documents, 2 compilers: ${failures.length} failures`)
} finally {
  tarballs.close()
  rmSync(folder, { recursive: true })
}
