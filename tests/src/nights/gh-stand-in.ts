/**
 * A stand-in for the program `gh`: `node gh-stand-in.ts ARGUMENTS`. It keeps its issues in the folder GH_STATE, and the artifacts of
 * each run in `artifacts/RUN` there.
 */
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createGh } from '../../../packages/conformance/tests/support/gh.ts'

const folder = process.env['GH_STATE'] ?? ''
const [noun = '', verb = '', ...rest] = process.argv.slice(2)
const repository = { id: 7, default_branch: 'main' }
const artifacts = join(folder, 'artifacts')
const option = (name: string) => rest[rest.indexOf(name) + 1] ?? ''

async function answer(): Promise<string> {
  if (noun === 'api' && process.argv.join(' ').includes('/actions/artifacts')) {
    const ids = existsSync(artifacts) ? readdirSync(artifacts) : []
    const of = (id: string, from: object) => ({
      ...{ expired: false, created_at: `2026-01-01T00:00:${id}Z` },
      workflow_run: { id: Number(id), head_branch: 'main', head_repository_id: repository.id, ...from },
    })
    // A fork and another branch have newer artifacts, which do not count.
    const others = [of('98', { head_repository_id: 8 }), of('99', { head_branch: 'work' })]
    return JSON.stringify({ artifacts: [...others, ...ids.map((id) => of(id, {}))] })
  }
  if (noun === 'api') return JSON.stringify(repository)
  if (noun === 'run' && verb === 'download') {
    cpSync(join(artifacts, (rest[0] ?? '').padStart(2, '0')), option('--dir'), { recursive: true })
    return ''
  }
  const file = join(folder, 'issues.json')
  const gh = createGh()
  if (existsSync(file)) gh.issues.push(...JSON.parse(readFileSync(file, 'utf8')))
  const output = await gh.run(process.argv.slice(2), rest.includes('--body-file') ? await text(process.stdin) : '')
  writeFileSync(file, JSON.stringify(gh.issues))
  return output
}

process.stdout.write(await answer())
