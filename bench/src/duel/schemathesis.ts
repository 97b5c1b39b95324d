import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contracts } from '@cdn/api/contract'
import type { EmulatorFixtures } from '@cdn/emulator'
import { toolsFolder, versions } from './folders.ts'
import { maxTimeMs, serve, type Tool } from './tool.ts'

/** Test cases per operation and phase: fewer than 5,000 requests and ten minutes per server, on a busy machine as well. */
const maxExamples = 25

/**
 * Schemathesis with all phases and checks, its default. The ids of the fixtures and the key are in its configuration file.
 * https://schemathesis.readthedocs.io/en/stable/reference/configuration/
 */
export const schemathesis: Tool = {
  name: 'schemathesis',
  version: versions.schemathesis,
  examine: (subject, seed) =>
    serve(subject, async ({ managementUrl, loggingUrl, fixtures }) => {
      const folder = await mkdtemp(join(tmpdir(), 'duel-'))
      try {
        await writeFile(join(folder, 'schemathesis.toml'), configuration(fixtures))
        const management = await problemsOf(folder, 'management', managementUrl, seed)
        return [...management, ...(await problemsOf(folder, 'logging', loggingUrl, seed))]
      } finally {
        await rm(folder, { recursive: true })
      }
    }),
}

function configuration({ credentials, libraryId, zoneId, loggedZoneId }: EmulatorFixtures): string {
  const date = new Date().toISOString()
  const day = `${date.slice(5, 7)}-${date.slice(8, 10)}-${date.slice(2, 4)}`
  const parameters = [
    ['/videolibrary/', `id = "${libraryId}"`],
    ['/pullzone/', `id = "${zoneId}"`],
    ['/v2/pullzones/', `pullZoneId = "${loggedZoneId}"`],
    ['/\\\\{date\\\\}', `pullZoneId = "${loggedZoneId}", date = "${day}"`],
  ]
  return [
    `headers = { AccessKey = "${credentials.accessKey}" }`,
    'continue-on-failure = true',
    ...parameters.map(
      ([path, values]) => `[[operations]]\ninclude-path-regex = "^${path}"\nparameters = { ${values} }`,
    ),
  ].join('\n')
}

async function problemsOf(
  folder: string,
  name: 'management' | 'logging',
  url: string,
  seed: number,
): Promise<string[]> {
  const contract = join(folder, `${name}.json`)
  const report = join(folder, `${name}-report.json`)
  await writeFile(contract, JSON.stringify(contracts[name].openapi.full))
  const args = [
    'run',
    contract,
    '--url',
    url.replace(/\/$/, ''),
    '--seed',
    String(seed),
    '--max-examples',
    String(maxExamples),
  ]
  args.push('--report', 'json', '--report-json-path', report)
  const child = spawn(join(toolsFolder, 'venv/bin/schemathesis'), args, {
    cwd: folder,
    stdio: 'ignore',
    timeout: maxTimeMs,
  })
  await once(child, 'exit')
  return failuresOf(JSON.parse(await readFile(report, 'utf8')))
}

/** The used part of the JSON report. */
interface Report {
  readonly failures: readonly {
    readonly code: string
    readonly title: string
    readonly operations: readonly string[]
  }[]
}

function failuresOf({ failures }: Report): string[] {
  return failures.flatMap(({ code, title, operations }) =>
    operations.map((operation) => `${code} ${title}: ${operation}`),
  )
}
