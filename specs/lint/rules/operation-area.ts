import type { Context, Location, Rule } from '../rule.ts'

/** An operation belongs to exactly one area, and the area is declared under `tags` of openapi.yaml. */
export const operationArea: Rule = () => {
  const operations: { tags: readonly string[]; at: Location }[] = []
  return {
    Operation({ tags = [] }: { tags?: readonly string[] }, { location }: Context) {
      operations.push({ tags, at: tags.length > 0 ? location.child('tags') : location.key() })
    },
    Root: {
      leave({ tags = [] }: { tags?: readonly { name: string }[] }, { report }: Context) {
        const areas = new Set(tags.map(({ name }) => name))
        for (const { tags, at } of operations) {
          if (tags.length !== 1)
            report({ message: `An operation has one tag, its area; this one has ${tags.length}.`, location: at })
          for (const tag of tags)
            if (!areas.has(tag))
              report({ message: `No area \`${tag}\` is declared under \`tags\` of openapi.yaml.`, location: at })
        }
      },
    },
  }
}
