import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { contracts } from '@cdn/api/contract'
import type { EmulatorFixtures } from '@cdn/emulator'
import { toolsFolder, versions } from './folders.ts'
import { today } from './situations.ts'
import { runProgram, serve, type Tool } from './tool.ts'

/**
 * Schemathesis with all phases and checks, its default. The key is in its configuration file. The fixtures' ids are in its dictionaries:
 * a valid request has one of them with a probability, or an id that the tool generates; an invalid request has an invalid id.
 * https://schemathesis.readthedocs.io/en/stable/reference/configuration/
 * https://schemathesis.readthedocs.io/en/stable/guides/fuzz-dictionary/
 */
export const schemathesis: Tool = {
  name: 'schemathesis',
  version: versions.schemathesis,
  namesSentence: false,
  varies: true,
  examine: (subject, seed) =>
    serve(subject, async ({ managementUrl, loggingUrl, fixtures, folder }) => {
      await writeFile(join(folder, 'schemathesis.toml'), configuration(fixtures))
      const management = await problemsOf(folder, 'management', managementUrl, seed)
      return [...management, ...(await problemsOf(folder, 'logging', loggingUrl, seed))]
    }),
}

/** Test cases per operation and phase, instead of 100, so that a server takes less than a minute. */
const maxExamples = 25

/** How often a valid request has an id of the fixtures. */
const probability = 0.8

function configuration(fixtures: EmulatorFixtures): string {
  const { libraryId, distantLibraryId, absentLibraryId, zoneId, absentZoneId } = fixtures
  const { loggedZoneId, otherLoggedZoneId, unloggedZoneId, suspendedZoneId, disabledZoneId } = fixtures
  const zones = [loggedZoneId, otherLoggedZoneId, unloggedZoneId, suspendedZoneId, disabledZoneId, absentZoneId]
  const dictionaries = {
    libraries: [libraryId, distantLibraryId, absentLibraryId],
    zones: [zoneId, absentZoneId],
    loggedZones: zones,
    days: [`"${today()}"`],
  }
  const use = (dictionary: keyof typeof dictionaries) =>
    `{ dictionary = "${dictionary}", probability = ${probability} }`
  const parameters = [
    ['/videolibrary/', `"path.id" = ${use('libraries')}`],
    ['/pullzone/', `"path.id" = ${use('zones')}`],
    ['/v2/pullzones/', `"path.pullZoneId" = ${use('loggedZones')}`],
    ['/\\\\{date\\\\}', `"path.pullZoneId" = ${use('loggedZones')}, "path.date" = ${use('days')}`],
  ]
  return [
    `headers = { AccessKey = "${fixtures.credentials.accessKey}" }`,
    'continue-on-failure = true',
    ...Object.entries(dictionaries).map(([name, values]) => `[dictionaries.${name}]\nvalues = [${values.join(', ')}]`),
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
  await writeFile(join(folder, `${name}.json`), JSON.stringify(contracts[name].openapi.full))
  const report = `${name}-report.json`
  const options = [
    '--url',
    url.replace(/\/$/, ''),
    '--seed',
    String(seed),
    '--no-shrink',
    '--max-examples',
    String(maxExamples),
  ]
  const output = ['--report', 'json', '--report-json-path', report]
  await runProgram(join(toolsFolder, 'venv/bin/schemathesis'), ['run', `${name}.json`, ...options, ...output], folder)
  return failuresOf(JSON.parse(await readFile(join(folder, report), 'utf8')))
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
