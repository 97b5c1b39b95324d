import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Context, Rule } from '../rule.ts'

/**
 * Every top-level key of an area file but `components`, its own schemas, is a path item, and a line under `paths` of
 * openapi.yaml links it by `$ref`. Without the line the operation would be nowhere, and no tool would miss it.
 */
export const linkedPaths: Rule = () => ({
  Root({ paths = {} }: { paths?: Readonly<Record<string, { $ref?: string }>> }, { report, location }: Context) {
    const entry = location.source.absoluteRef
    if (basename(entry) !== 'openapi.yaml') return // a contract that others wrote
    const linked = new Set(Object.values(paths).map((item) => item.$ref?.replace(/^\.\//, '')))
    for (const file of areaFiles(entry)) {
      for (const key of topLevelKeys(readFileSync(join(dirname(entry), file), 'utf8'))) {
        const reference = `${file}#/${key}`
        if (!linked.has(reference))
          report({
            message: `No path links \`${reference}\`; add \`$ref: ${reference}\`.`,
            location: location.child('paths'),
          })
      }
    }
  },
})

/** The YAML files beside `entry` that are no overlay. */
function areaFiles(entry: string): string[] {
  return readdirSync(dirname(entry)).filter(
    (file) => file.endsWith('.yaml') && file !== basename(entry) && !file.endsWith('.overlay.yaml'),
  )
}

/** Keys at the start of a line; in block style YAML these are the top-level ones. */
function topLevelKeys(yaml: string): string[] {
  const keys = [...yaml.matchAll(/^(["']?)([^\s"'#:-][^\s"':]*)\1\s*:/gm)].map(([, , key = '']) => key)
  return keys.filter((key) => key !== 'components')
}
