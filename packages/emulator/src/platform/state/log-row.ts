/** One logged request as stored: every field of a log entry, and the fields that decide whether the entry is shown. */
export interface StoredLogRow {
  /** Milliseconds since 1970, UTC. The number has a fraction if the store is more precise than the shown entries. */
  readonly timestamp: number
  /** When the row becomes visible, in milliseconds since 1970; at once by default. */
  readonly visibleFrom?: number | undefined
  /** Decimal int64. */
  readonly pullZoneId: string
  readonly requestId: string | null
  readonly cacheStatus: string
  readonly statusCode: number
  /** Size of headers and body. */
  readonly bytesSent: number | bigint
  /** The visitor's full address. It is anonymised only when it is shown. */
  readonly remoteIp: string | null
  readonly countryCode: string | null
  readonly userAgent: string | null
  readonly referer: string | null
  readonly ja4Fingerprint: string | null
  readonly asn: number | null
  readonly asnOrganization: string | null
  readonly edgeLocation: string
  readonly scheme: string
  readonly host: string
  /** Path with the query string. */
  readonly path: string
  /** This field and the next two are shown only with extended logging. */
  readonly bodyBytesSent: number | bigint | null
  readonly contentRange: string | null
  readonly authorizationHeader: string | null
  /** Whether the edge sent the request to the origin shield. */
  readonly originShield: boolean
}
