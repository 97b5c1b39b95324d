/** `node bench/src/duel/install.ts` installs the other tools and Stryker's instrumenter into `bench/.duel`, from PyPI and npm. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toolsFolder, versions } from './folders.ts'

const packages = {
  '@stryker-mutator/instrumenter': versions.instrumenter,
  '@stoplight/prism-cli': versions.prism,
  specmatic: versions.specmatic,
}

mkdirSync(toolsFolder, { recursive: true })
const run = (file: string, ...args: string[]) => execFileSync(file, args, { cwd: toolsFolder, stdio: 'inherit' })
run('python3', '-m', 'venv', 'venv')
run(join(toolsFolder, 'venv/bin/pip'), 'install', '--quiet', `schemathesis==${versions.schemathesis}`)
writeFileSync(join(toolsFolder, 'package.json'), '{"private":true}\n')
const names = Object.entries(packages).map(([name, version]) => `${name}@${version}`)
run('npm', 'install', '--silent', '--save-exact', '--ignore-scripts', ...names)
