import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { contracts } from '@cdn/api/contract'
import manifest from '../../package.json' with { type: 'json' }
import { createArazzo } from './arazzo.ts'
import { runProgram, serve, type Tool } from './tool.ts'

/**
 * Redocly Respect sends the requests of an Arazzo description, which is generated from the contract and the fixtures, and compares
 * statuses, media types and schemas. It has no seed. https://redocly.com/docs/cli/commands/respect
 */
export const respect: Tool = {
  name: 'Redocly Respect',
  version: manifest.devDependencies['@redocly/cli'],
  namesSentence: false,
  varies: false,
  examine: (subject) =>
    serve(subject, async ({ managementUrl, loggingUrl, fixtures, folder }) => {
      for (const { interface: name, openapi } of Object.values(contracts)) {
        const url = (name === 'management' ? managementUrl : loggingUrl).replace(/\/$/, '')
        await writeFile(join(folder, `${name}.json`), JSON.stringify({ ...openapi.full, servers: [{ url }] }))
      }
      await writeFile(join(folder, 'arazzo.json'), JSON.stringify(createArazzo(fixtures)))
      const cli = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js')
      const args = [cli, 'respect', 'arazzo.json', '--json-output', 'results.json']
      await runProgram(process.execPath, args, folder, { REDOCLY_TELEMETRY: 'off' })
      const { files } = JSON.parse(await readFile(join(folder, 'results.json'), 'utf8'))
      return failedSteps(files['arazzo.json'])
    }),
}

/** The used part of Respect's JSON output. */
interface FileResult {
  readonly executedWorkflows: readonly {
    readonly workflowId: string
    readonly executedSteps: readonly {
      readonly stepId: string
      readonly checks: readonly { readonly name: string; readonly status: string }[]
    }[]
  }[]
}

function failedSteps({ executedWorkflows }: FileResult): string[] {
  return executedWorkflows.flatMap(({ workflowId, executedSteps }) =>
    executedSteps.flatMap(({ stepId, checks }) =>
      checks.filter(({ status }) => status === 'error').map(({ name }) => `${workflowId} ${stepId}: ${name}`),
    ),
  )
}
