/** Preloaded into each server process: `@cdn/emulator` is the instrumented copy, so that the suite runs against it unchanged. */
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { emulatorCopy } from './folders.ts'

const url = pathToFileURL(join(emulatorCopy, 'src/index.ts')).href
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@cdn/emulator' ? { url, format: 'module-typescript', shortCircuit: true } : next(specifier, context),
})
