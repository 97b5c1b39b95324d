/** Mistakes in the specs that the lint must refuse: in an invented area, and in the files of the repository. */

/** The file of the area below. */
export const regionFile = 'management/region.yaml'
const video = 'management/stream-video-library.yaml'
const zone = 'management/pull-zone.yaml'
const management = 'management/openapi.yaml'
const logging = 'logging/openapi.yaml'
const managementOverlay = 'management/supplement.overlay.yaml'
const loggingOverlay = 'logging/supplement.overlay.yaml'

const source = 'x-source: "public reference, core OpenAPI of 2026-08-19 [A]: each field may be null or absent"'
const watermarkPath = '  /videolibrary/{id}/watermark:\n    $ref: stream-video-library.yaml#/watermark\n'

/** The YAML of a valid area with all that an author usually writes, in the file `regionFile`. */
export const area = `# Area: Region. Each key is a path item; openapi.yaml maps it to a path.
boxes:
  get:
    tags: [Region]
    summary: List boxes
    description: Lists the boxes.
    x-name: list-boxes
    x-effect: read
    x-requirements:
      - { id: management.list-boxes.200, section: "4.5", text: The list is answered 200. }
    parameters:
      - { name: search, in: query, description: A part of the name., schema: { type: string } }
      - { name: perPage, in: query, description: Boxes on a page., schema: { type: integer, minimum: 5, maximum: 1000 } }
    responses:
      "200":
        description: The boxes.
        content:
          application/json:
            schema: { type: array, items: { $ref: "#/components/schemas/Box" } }
      "401": { description: Request authorization failed. }
  post:
    tags: [Region]
    summary: Create a box
    description: Creates a box.
    x-name: create-box
    x-effect: write
    x-change: create
    x-requirements:
      - { id: management.create-box.201, section: "4.5", text: A valid request is answered 201. }
    requestBody:
      required: true
      content:
        application/json:
          schema:
            type: object
            required: [Name]
            properties:
              Name: { type: string, minLength: 1 }
    responses:
      "201": { description: The box is created. }
      "400": { description: The body is invalid. }
      "401": { description: Request authorization failed. }
box:
  x-resource: { name: box, id: Id }
  delete:
    tags: [Region]
    summary: Delete a box
    description: Deletes a box.
    x-name: delete-box
    x-effect: destructive
    x-change: delete
    x-requirements:
      - { id: management.delete-box.204, section: "4.5", text: A box that exists is answered 204. }
      - { id: management.delete-box.404, section: "4.5", text: A box that does not exist is answered 404. }
    parameters:
      - { name: id, in: path, required: true, description: An id., schema: { type: integer, format: int64 } }
    responses:
      "204": { description: The box is deleted. }
      "401": { description: Request authorization failed. }
      "404": { description: The box does not exist. }
  get:
    tags: [Region]
    summary: Get a box
    x-name: get-box
    x-effect: read
    x-requirements:
      - { id: management.get-box.200, section: "4.5", text: A box that exists is answered 200. }
    x-unspecified:
      - { id: management.get-box.age, section: "4.5", text: The age of a box., unchecked: No response shows it. }
    parameters:
      - { name: id, in: path, required: true, description: An id., schema: { type: integer, format: int64 } }
    responses:
      "200":
        description: The box.
        content: { application/json: { schema: { $ref: "#/components/schemas/Box" } } }
      "401": { description: Request authorization failed. }
      "404": { description: The box does not exist. }
resize:
  post:
    tags: [Region]
    summary: Resize a box
    x-name: resize-box
    x-effect: write
    x-change: { set: { Size: 1 } }
    x-requirements:
      - { id: management.resize-box.effect, section: "4.5", text: The box has the size afterwards. }
    parameters:
      - { name: id, in: path, required: true, description: An id., schema: { type: integer, format: int64 } }
    responses:
      "204": { description: The box has the size. }
      "401": { description: Request authorization failed. }
      "404": { description: The box does not exist. }
components:
  schemas:
    Box:
      description: A box.
      type: object
      properties:
        Id: { type: integer, format: int64 }
        Name: { type: string }
        Size: { type: integer }
        Kind: { type: string, enum: [round, square] }
        ApiKey: { type: string, format: password }
`

/** The keys of the path items of the area, by path. */
export const areaPaths = { '/box': 'boxes', '/box/{id}': 'box', '/box/{id}/resize': 'resize' }

/** The text of the area in SPEC.md. */
export const areaText = `### §4.5 Region

\`GET /box\` lists the boxes: 200. \`search\` is a part of the name, \`perPage\` is 5 to 1000.

\`POST /box\` with a \`Name\` (required, at least 1 character) creates a box: 201, or 400.

\`GET /box/{id}\` answers 200 with the box, or 404. **Unspecified**: the age of a box.

\`DELETE /box/{id}\` deletes it: 204, or 404. The \`id\` is a 64-bit integer.

\`POST /box/{id}/resize\` sets its \`Size\`: 204, or 404.

| field    | type                 |
| -------- | -------------------- |
| \`Id\`     | 64-bit integer       |
| \`Name\`   | string               |
| \`Size\`   | integer              |
| \`Kind\`   | \`round\` or \`square\`  |
| \`ApiKey\` | string               |

`

const search = 'name: search, in: query, description: A part of the name., schema: { type: string }'
const inSearch = (from: string, to: string) => [search, search.replace(from, to)] as const
const path = 'name: id, in: path, required: true, description: An id., schema: { type: integer, format: int64 }'
const name = 'x-name: list-boxes\n'
const field = 'Name: { type: string }\n'
const inBody = 'Name: { type: string, minLength: 1 }'
const body = 'application/json:\n          schema:\n            type: object'
const list = 'application/json:\n            schema: { type: array'
const deleted = '      "204": { description: The box is deleted. }\n'
const refused = '      "401": { description: Request authorization failed. }\n'
const resize = 'x-change: { set: { Size: 1 } }'
const kinds = 'enum: [round, square]'
const row = '- { id: management.get-box.200, section: "4.5", text: A box that exists is answered 200. }'

/**
 * Mistakes in the area. The lint must report exactly one fault, whose message contains the key. The value is a text, its replacement,
 * and a text that first occurs in the reported line (by default the replacement).
 *
 * The lint of the suite refuses further mistakes: packages/conformance/scripts/lint.test.ts.
 */
export const mistakesInArea: Readonly<Record<string, readonly [from: string, to: string, at?: string]>> = {
  'A path parameter is always present: add `required: true`.': ['in: path, required: true', 'in: path'],
  '`management.delete-boxes.404` is not about `delete-box`: state it at the operation that it names.': [
    'management.delete-box.404',
    'management.delete-boxes.404',
  ],
  '`management.delete-box.404` is about a status that `responses` does not list: add it there.': [
    '      "404": { description: The box does not exist. }\n',
    '',
    'management.delete-box.404',
  ],
  'The response 401 is missing, which answers a request without credentials (§5); an operation that needs none states `security: []`.':
    [deleted + refused, deleted],
  'The toolkit sends parameters in the default form only: leave out `style`': inSearch(
    ' }',
    ' }, style: spaceDelimited',
  ),
  'The toolkit sends parameters in the default form only: leave out ': inSearch(
    'schema: { type: string }',
    'content: { application/json: { schema: { type: string } } }',
  ),
  'A parameter cannot be an object: state one parameter per field.': inSearch('string', '[object, "null"]'),
  'A path parameter cannot be a list: state a `string`, `integer`, `number` or `boolean`.': [
    path,
    path.replace('integer, format: int64', 'array, items: { type: string }'),
  ],
  'The toolkit sends no cookies: a parameter is in `path`, `query` or `header`.': inSearch('query', 'cookie'),
  'The toolkit reads and writes no such media type: expected `application/json`, `application/octet-stream` or `text/plain`.':
    [body, body.replace('application/json', 'multipart/form-data')],
  'The toolkit reads and writes no such media type': [list, list.replace('json', 'xml')],
  'The toolkit ignores `readOnly` and `writeOnly`: state one schema for the body of the request, and one for that of the response.':
    [inBody, inBody.replace('1', '1, writeOnly: true')],
  'A response 204 has no body: leave out `content`, or state the status that has it, such as `200`.': [
    deleted,
    deleted.replace('deleted. }', 'deleted., content: { application/json: { schema: {} } } }'),
  ],
  '`Назва` cannot be an option: use Latin letters, digits, `_`, `.` and `-`, such as `ZoneId`.': [
    field,
    field.replace('Name', 'Назва'),
  ],
  '`検索` cannot be an option: use Latin letters': ['name: search', 'name: 検索'],
  '`per_page` and `perPage` are both the option `--per-page`: rename one of them.': [
    `- { ${search} }\n`,
    `- { ${search} }\n      - { name: per_page, in: query, description: Boxes., schema: { type: integer } }\n`,
    'name: perPage',
  ],
  '`Name` and `name` are both the option `--name`: rename one of them.': [
    inBody,
    `${inBody}\n              name: { type: string }`,
    ' name: { type: string }',
  ],
  'A `pattern` needs an `example` that matches it': [field, field.replace('string', 'string, pattern: x')],
  'An operation has the server of its interface and no callbacks: leave out `servers` and `callbacks`.': [
    name,
    `${name}    servers: [{ url: "https://boxes.invalid" }]\n`,
    'servers:',
  ],
  'A request carries one credential: write each scheme as an alternative of its own, such as `[{ AccessKey: [] }, { bearer: [] }]`.':
    [name, `${name}    security: [{ AccessKey: [], bearer: [] }]\n`, 'security:'],
  '`security` names the credentials only: write the scopes into `x-scopes`.': [
    name,
    `${name}    security: [{ AccessKey: [User] }]\n`,
    'security:',
  ],
  'OpenAPI 3.1 has no `nullable`: add "null" to `type`, as in `type: [string, "null"]`.': [
    field,
    field.replace(' }', ', nullable: true }'),
  ],
  '`ApiKey` is named like a credential: add `format: password`, so that no program prints it, or `x-secret: false`.': [
    'ApiKey: { type: string, format: password }',
    'ApiKey: { type: string }',
  ],
  '9223372036854775807 is not exact in 64-bit floating point: leave it out, and state `format: int64` instead of a limit of 64 bits.':
    ['maximum: 1000', 'maximum: 9223372036854775807'],
  'A GET or HEAD request has no body: state query parameters, or another method.': [
    name,
    `${name}    requestBody: { content: { application/json: { schema: { type: object } } } }\n`,
    'requestBody: { content',
  ],
  '`minimum` 5000 is above `maximum` 1000: no value fits both.': ['minimum: 5,', 'minimum: 5000,'],
  '`minLength` 9 is above `maxLength` 3: no value fits both.': [inBody, inBody.replace('1', '9, maxLength: 3')],
  '`default` 0 does not fit its schema: correct the value or the bounds.': ['minimum: 5,', 'default: 0, minimum: 5,'],
  '`default` "x" does not fit its schema': inSearch('string', 'integer, default: x'),
  'No `$ref` leads to the schema `Lid`: use it, or remove it.': [
    'schemas:\n    Box:',
    'schemas:\n    Lid: { type: object }\n    Box:',
    'Lid:',
  ],
  '`Size` is set to "big", which does not fit its schema {"type":"integer"}': [resize, resize.replace('1', 'big')],
  'In the responses, the item has no field `Sise`; its fields are `Id`, `Name`, `Size`, `Kind`, `ApiKey`': [
    resize,
    resize.replace('Size', 'Sise'),
  ],
  '`set` is empty; name a field and its value afterwards.': [resize, 'x-change: { set: {} }'],
  '`management.resize-box.effect` promises an effect: add `x-change`, or `unchecked` with the reason.': [
    `    ${resize}\n`,
    '',
    'management.resize-box.effect',
  ],
  '`create` belongs to the path of the collection, not to this path.': ['x-change: delete', 'x-change: "create"'],
  'changes nothing; remove `x-change`': ['x-effect: destructive', 'x-effect: read', 'x-change: delete'],
  '`x-effect` is missing: `read` if it changes nothing': [
    '    x-effect: destructive\n',
    '',
    'tags: [Region]\n    summary: Delete a box',
  ],
  '`x-effect` can be one of the following only: "read", "write", "destructive"': [
    'x-effect: destructive',
    'x-effect: delete',
  ],
  '`management.delete-box.204` is already used; ids are unique.': [
    'management.delete-box.404',
    'management.delete-box.204',
    'management.delete-box.204, section: "4.5", text: A box that does not',
  ],
  '`management.boxes.200` is not about `get-box`': [row, row.replace('get-box', 'boxes')],
  'Expected type `string` but got `number`': [row, row.replace('"4.5"', '4.5')],
  '`tags` is empty: expected one, the area of the operation.': ['tags: [Region]', 'tags: []'],
  'is not expected here': [field, field.replace('type', 'typ')],
  'This `$ref` leads to nothing: correct its file or its name, or add what it names.': [
    '$ref: "#/components/schemas/Box" } }\n',
    '$ref: "#/components/schemas/Bax" } }\n',
  ],
  '`x-efect` is not an extension of the contract here': ['x-effect: read', 'x-efect: read\n    x-effect: read'],
  '`x-scopes` must name at least one scope': [name, `${name}    x-scopes: []\n`, 'x-scopes'],
  'There is no `ApiKey` security scheme defined.': [name, `${name}    security: [{ ApiKey: [] }]\n`, 'security:'],
  'All values of `enum` field must be of the same type as the `type` field: expected "string"': [
    kinds,
    kinds.replace('round', '1'),
  ],
  Example: [field, field.replace('string', 'string, example: 3')],
  'This is not valid YAML (Tabs are not allowed as indentation): indent with spaces.': [
    '    summary: List boxes',
    '\tsummary: List boxes',
  ],
  'This is not valid YAML (Nested mappings are not allowed in compact mappings): put a text with a colon into quotes.':
    ['summary: Create a box', 'summary: Create: a box'],
}

/** A text that is replaced in a file, and a part of the lint's message about the replacement. */
export type Mistake = readonly [file: string, from: string, to: string, says: string]
/** Mistakes by the rule that must report them. */
export type Mistakes = Readonly<Record<string, readonly Mistake[]>>

/** Mistakes that the lint of the faulty file itself must report. */
export const mistakes: Mistakes = {
  struct: [
    [zone, 'effect\n        section: "4.2"\n', 'effect\n', '`section`'],
    [management, 'unchecked: The control', 'unchekced: The control', '`unchekced` is not expected'],
  ],
  'rule/operation-has-name': [
    [video, 'x-name: delete-watermark', 'x-name: deleteWatermark', '`x-name` must be its name in kebab-case'],
  ],
  'rule/example-replaced': [
    [video, 'x-name: delete-watermark', 'x-name: example-video', 'replace it with an operation'],
  ],
  'contract/operation-name': [[zone, 'x-name: add-allowed-referrer', 'x-name: delete-watermark', 'names are unique']],
  'operation-tag-defined': [[zone, 'tags: [Pull Zone]', 'tags: [Pull Zones]', 'should be defined in global tags']],
  'operation-singular-tag': [[zone, 'tags: [Pull Zone]', 'tags: [Pull Zone, Purge]', 'should have only one tag']],
  'contract/area-shown': [
    [management, '  - name: Purge\n', '  - name: Purges\n  - name: Purge\n', '`Purges` has no operation'],
    [zone, 'tags: [Pull Zone]', 'tags: [Purge]', '`Purge` has operations'],
  ],
  'rule/area-name': [[management, 'name: Region', 'name: Región', 'Latin letters, digits and spaces']],
  'contract/area-files': [
    [zone, 'addAllowedReferrer:\n', 'remove: {}\naddAllowedReferrer:\n', '`pull-zone.yaml#/remove`'],
    [management, watermarkPath, '', '`stream-video-library.yaml#/watermark`'],
    [
      management,
      watermarkPath,
      `${watermarkPath}${watermarkPath.replace('{id}', '{id}/again')}`,
      '`/videolibrary/{id}/watermark` already links `stream-video-library.yaml#/watermark`',
    ],
    [
      zone,
      'addAllowedReferrer:\n',
      'components: { schemas: { Error: {} } }\naddAllowedReferrer:\n',
      'both have a schema `Error`',
    ],
  ],
  'contract/requirement-id': [
    [video, 'id: management.delete-watermark.404', 'id: delete-watermark.404', 'is not of the form'],
    [logging, 'logging.errors.forbidden', 'logging.errors.403.code', 'is not of the form'],
  ],
  'contract/known-extension': [
    [zone, 'schema: {}', 'schema: { x-internal: true }', '`x-internal` is not an extension'],
    [managementOverlay, source, `${source}\n    x-certainty: A`, '`x-certainty` is not an extension'],
  ],
  'contract/error-code': [
    [logging, '          x-error-code: rate_limited\n', '', 'response 429 states no'],
    [logging, '        "2XX":\n', '        "2XX":\n          x-error-code: fine\n', 'response 2XX is not an error'],
  ],
  'rule/window-is-duration': [[logging, 'window: PT10S', 'window: 10s', '`window` is not a duration']],
  'contract/rate-limit': [[logging, 'per: pullZoneId', 'per: zone', 'path parameter `zone`']],
  'rule/retention-of-interface-is-duration': [
    [logging, 'x-retention: P3D', 'x-retention: 3 days', '`x-retention` is not a duration'],
  ],
  'rule/retention-is-duration': [
    [video, 'x-effect: destructive', 'x-effect: destructive\n    x-retention: PT', '`x-retention` is not a duration'],
  ],
  'rule/scheme-has-variable': [[management, '      x-variable: CDN_ACCESS_KEY\n', '', '`x-variable` must name']],
  'rule/scopes-distinct': [[video, '      - UserApi\n', '      - User\n', 'each once']],
  'contract/changes': [
    [
      video,
      'x-change: { set: { watermark: false } }',
      'x-change: delete',
      'state `x-resource` on the path `/videolibrary/{id}/watermark`',
    ],
    [
      zone,
      'x-change: { add: Hostname, to: allowed-referrers }',
      'x-change: create',
      '`/pullzone/{id}/addAllowedReferrer/{id}`',
    ],
  ],
  'rule/action-has-certainty': [
    [managementOverlay, source, 'x-source: a guess', 'has no certainty'],
    [managementOverlay, `    ${source}\n`, '', 'has no certainty'],
  ],
}

/** Mistakes in overlays that show only in the resulting contract. */
export const mistakesInFull: Mistakes = {
  'rule/operation-has-effect': [[loggingOverlay, '          x-effect: read\n', '', '`x-effect` is missing']],
  'contract/requirement-id': [[loggingOverlay, 'logging.agreement.v1-v2', 'logging.query-logs.zone', 'ids are unique']],
  'contract/changes': [
    [managementOverlay, '{ name: pull-zone, id: Id }', '{ name: PullZone, id: Id }', 'not kebab-case'],
    [managementOverlay, 'name: pull-zone,', 'name: video-library,', 'names are unique'],
    [managementOverlay, '{ name: pull-zone, id: Id }', '{ name: pull-zone }', 'needs `id`'],
    [
      managementOverlay,
      '{ name: pull-zone, id: Id }',
      '{ name: pull-zone, id: ID }',
      'no field `ID`; its fields are `Id`',
    ],
    [
      managementOverlay,
      'remove: Hostname, from',
      'remove: Host, from',
      'request body has no field `Host`; its fields are `Hostname`',
    ],
    [managementOverlay, 'remove: Hostname, from: allowed-referrers', 'remove: Hostname', '`from` is missing'],
    [managementOverlay, 'from: allowed-referrers', 'from: referrers', 'no field `referrers`'],
    [managementOverlay, 'from: allowed-referrers', 'from: Name', '`Name` is not a list'],
    [managementOverlay, 'from: allowed-referrers', 'from: Hostnames/Name', '`Hostnames` have no field `Name`'],
    [managementOverlay, '{ set: { watermark: true } }', '{ set: { mark: true } }', 'no field `mark`'],
    [managementOverlay, '{ set: { watermark: true } }', '{ set: {} }', '`set` is empty'],
    [managementOverlay, '{ set: { watermark: true } }', 'merge', 'belongs to the path of the item or the document'],
  ],
}
