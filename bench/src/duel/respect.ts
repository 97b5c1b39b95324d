import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contracts } from '@cdn/api/contract'
import manifest from '../../package.json' with { type: 'json' }
import { createArazzo } from './arazzo.ts'
import { maxTimeMs, serve, type Tool } from './tool.ts'

/**
 * Redocly Respect sends the requests of an Arazzo description, which is generated from the contract and the fixtures, and compares
 * statuses, media types and schemas. It has no seed. https://redocly.com/docs/cli/commands/respect
 */
export const respect: Tool = {
  name: 'Redocly Respect',
  version: manifest.devDependencies['@redocly/cli'],
  examine: (subject) =>
    serve(subject, async ({ managementUrl, loggingUrl, fixtures }) => {
      const folder = await mkdtemp(join(tmpdir(), 'duel-'))
      try {
        for (const { interface: name, openapi } of Object.values(contracts)) {
          const url = (name === 'management' ? managementUrl : loggingUrl).replace(/\/$/, '')
          await writeFile(join(folder, `${name}.json`), JSON.stringify({ ...openapi.full, servers: [{ url }] }))
        }
        const [year, month, day] = new Date().toISOString().slice(2, 10).split('-')
        await writeFile(
          join(folder, 'arazzo.json'),
          JSON.stringify(createArazzo('full', fixtures, `${month}-${day}-${year}`)),
        )
        return await failedSteps(folder)
      } finally {
        await rm(folder, { recursive: true })
      }
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

async function failedSteps(folder: string): Promise<string[]> {
  const cli = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js')
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off' }
  const args = [cli, 'respect', 'arazzo.json', '--json-output', 'results.json']
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: 'ignore', timeout: maxTimeMs })
  await once(child, 'exit')
  const { files } = JSON.parse(await readFile(join(folder, 'results.json'), 'utf8'))
  const result: FileResult = files['arazzo.json']
  return result.executedWorkflows.flatMap(({ workflowId, executedSteps }) =>
    executedSteps.flatMap(({ stepId, checks }) =>
      checks.filter(({ status }) => status === 'error').map(({ name }) => `${workflowId} ${stepId}: ${name}`),
    ),
  )
}
