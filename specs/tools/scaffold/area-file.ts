import type { AreaNames } from './names.ts'

/** Prefix of the names of examples. The lint reports names with this prefix, so that examples are replaced. */
export const examplePrefix = 'example-'

/**
 * Returns the file of a new area, with one example operation that uses every extension.
 *
 * @param section section of the spec for the operations of the area
 * @returns YAML
 */
export function areaFile({ area, slug }: AreaNames, section: string): string {
  const name = `${examplePrefix}${slug}`
  return `# Area: ${area}. One key per path item; \`openapi.yaml\` states its path.
# This operation is an example: replace it with the operations of the spec, and link their paths in openapi.yaml.
example:
  x-resource: { name: ${name}, id: Id } # on the path of one item, /things/{id}; here on a list without such a path
  get:
    tags: [${area}]
    summary: List examples
    description: Lists the items of the area in pages.
    x-name: ${name} # kebab-case: commands, handlers and ids contain it
    x-effect: read # read, write, or destructive if it deletes something
    # x-change: what a write changes, such as create, delete or { add: Field, to: List } (specs/README.md)
    x-requirements: # each statement that is true or false for a server, in our own words
      - id: management.${name}.200
        section: "${section}"
        text: A valid request is answered 200 with a page of the list.
      - id: management.${name}.order
        section: "${section}"
        text: The list is in the order of the ids.
        unchecked: No check observes it yet. # remove this line with the first check
    x-unspecified: # each point that the spec leaves open
      - id: management.${name}.last-page
        section: "${section}"
        text: What a page behind the last one holds.
        unchecked: No check observes it yet. # remove this line with the first probe
    parameters:
      - name: page
        in: query
        description: Number of the page, from 1.
        schema: { type: integer, minimum: 1, default: 1 }
    responses:
      "200":
        description: A page of the list.
        content:
          application/json:
            schema:
              type: object
              required: [Items, HasMoreItems]
              properties:
                Items: { type: array, items: { $ref: "#/components/schemas/Example" } }
                HasMoreItems: { type: boolean }
      "401":
        description: Request authorization failed.
        content:
          application/json:
            schema: { $ref: "openapi.yaml#/components/schemas/Error" }
components:
  schemas:
    Example: # in PascalCase, and a name that no other area uses
      description: An item of the list.
      type: object
      properties:
        Id: { type: integer, format: int64 }
`
}

/** Returns the path of the example. The paths of the spec replace it later. */
export function examplePath({ slug }: AreaNames): string {
  return `/example/${slug}`
}
