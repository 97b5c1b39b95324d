import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { contracts } from '@cdn/api/contract'
import type { EmulatorFixtures } from '@cdn/emulator'
import { toolsFolder, versions } from './folders.ts'
import { createExamples, type Example, today } from './situations.ts'
import { runProgram, serve, type Tool } from './tool.ts'

/**
 * Specmatic as a contract test, with resiliency tests. The fixtures are in its external examples and its dictionary, and the key is in
 * the variable of the security scheme. It has no seed.
 * https://docs.specmatic.io/contract_driven_development/contract_testing.html
 * https://docs.specmatic.io/references/configuration/test-configuration.html
 * https://docs.specmatic.io/features/authentication
 * https://docs.specmatic.io/documentation/dictionary.html
 */
export const specmatic: Tool = {
  name: 'Specmatic',
  version: versions.specmatic,
  namesSentence: false,
  varies: true,
  examine: (subject) =>
    serve(subject, async ({ managementUrl, loggingUrl, fixtures, folder }) => [
      ...(await problemsOf(join(folder, 'management'), 'management', managementUrl, fixtures)),
      ...(await problemsOf(join(folder, 'logging'), 'logging', loggingUrl, fixtures)),
    ]),
}

/** For the logging interface, which has 16 optional parameters, the generated requests had no end within ten minutes. */
const resiliencyTests = { management: 'all', logging: 'none' }

async function problemsOf(
  folder: string,
  name: 'management' | 'logging',
  url: string,
  fixtures: EmulatorFixtures,
): Promise<string[]> {
  await mkdir(join(folder, 'examples'), { recursive: true })
  await writeFile(join(folder, 'contract.json'), JSON.stringify(contracts[name].openapi.full))
  const configuration = { version: 2, contracts: [], test: { resiliencyTests: { enable: resiliencyTests[name] } } }
  await writeFile(join(folder, 'specmatic.json'), JSON.stringify(configuration))
  const ids = { pullZoneId: Number(fixtures.loggedZoneId), date: today(), id: Number(fixtures.zoneId) }
  await writeFile(join(folder, 'contract_dictionary.json'), JSON.stringify({ PARAMETERS: { PATH: ids } }))
  const examples = createExamples(fixtures).filter(({ operation }) => operation.interface === name)
  for (const [index, example] of examples.entries())
    await writeFile(join(folder, 'examples', `${index}.json`), JSON.stringify(externalExampleOf(example)))
  // `--lenient`, because Specmatic refuses an array schema without `items`.
  const options = ['--lenient', '--examples=examples', '--junitReportDir=report', '--config=specmatic.json']
  const jar = join(toolsFolder, 'node_modules/specmatic/specmatic.jar')
  const java = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-jar', jar] // starts in half of the time
  const args = [...java, 'test', 'contract.json', `--testBaseURL=${url.replace(/\/$/, '')}`, ...options]
  const { accessKey, bearer } = fixtures.credentials
  await runProgram('java', args, folder, { AccessKey: accessKey, bearer })
  return failuresOf(await readFile(join(folder, 'report/TEST-junit-jupiter.xml'), 'utf8'))
}

function externalExampleOf({ operation, pathParameters, headers, query, requestBody, status }: Example): unknown {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => pathParameters[name] ?? '')
  const partial = {
    'http-request': {
      method: operation.method.toUpperCase(),
      path,
      headers: { ...headers, ...(requestBody && { 'Content-Type': requestBody.mediaType }) },
      query,
      ...(requestBody && { body: requestBody.payload }),
    },
    'http-response': { status: Number(status.replaceAll('X', '0')) },
  }
  return { partial }
}

/**
 * Returns one text per failed test of a JUnit report: the test, and what differed. Generated numbers are left out, and the body where
 * Specmatic expects none: with another body, it is still the same problem.
 */
export function failuresOf(junit: string): string[] {
  return junit.split('<testcase ').flatMap((part) => {
    const [head = '', failure] = part.split('<failure message="')
    if (failure === undefined) return []
    const test = head.split('Scenario: ')[1]?.split('"')[0] ?? ''
    const message = failure.split('"')[0] ?? ''
    const [, differences = ''] = message.split('&gt;&gt; ')
    const what = differences.split('&#10;').filter((line) => !/Documentation:|Summary:|^\s*$/.test(line))
    const text = `${test}: ${what.map((line) => line.trim()).join(' ')}`.replaceAll(/\b\d{4,}\b/g, '#')
    const [before, body] = text.split('expected no body but response contained ')
    return body === undefined ? text : `${before}expected no body but response contained one`
  })
}
