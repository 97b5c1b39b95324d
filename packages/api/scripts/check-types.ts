import { basename } from 'node:path'
import ts from 'typescript'

const options: ts.CompilerOptions = {
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ESNext,
  lib: ['lib.es5.d.ts'],
  types: [],
}

/**
 * Declares `Blob`, the only type in generated files that the language itself lacks. Loading the DOM library instead would take
 * longer than checking a contract of 100 operations.
 */
const blob = 'blob.d.ts'
const blobText = 'interface Blob { readonly size: number; readonly type: string }'

/**
 * Type-checks a generated file without imports.
 *
 * @param file TypeScript
 * @throws RangeError with the compiler's first error
 */
export function checkTypes(file: string): void {
  const host = ts.createCompilerHost(options)
  const { getSourceFile } = host
  host.getSourceFile = (name, ...rest) =>
    name === blob ? ts.createSourceFile(name, blobText, ts.ScriptTarget.ESNext) : getSourceFile(name, ...rest)
  const [error] = ts.getPreEmitDiagnostics(ts.createProgram([file, blob], options, host))
  if (error) throw new RangeError(`${basename(file)}: ${ts.flattenDiagnosticMessageText(error.messageText, ' ')}`)
}
