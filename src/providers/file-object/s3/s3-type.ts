import { S3Client } from '@aws-sdk/client-s3';
import { Agent as PlainAgent } from 'node:http';
import { Agent } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { FileObjectType } from '../../../contracts/file-object.ts';
import type { OptionValues } from '../../../contracts/provider-options.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import type { ParameterFields } from '../../../kernel/declare/field-types.ts';
import { guardedLookup, outboundRules, outboundUrl } from '../../../kernel/security/outbound.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import type { Settings } from '../../../kernel/declare/setting.ts';
import { isPlainName } from '../paths.ts';
import { S3Bucket } from './s3-bucket.ts';

/** Default timeout of a connection and of a response, in seconds. */
const TIMEOUT_SECONDS = 30;
/** Default limit of simultaneous connections to one store. */
const CONNECTIONS_MAX = 16;
/** Attempts of a request that failed for a transient reason. */
const ATTEMPTS_MAX = 3;

/** Options of a bucket. */
export const s3Options = {
  Bucket: required(f.text({ doc: 'The bucket.', max: 63, exact: true })),
  AccessKeyID: required(f.text({ doc: 'The access key ID.', max: 200, exact: true })),
  SecretAccessKey: required(f.secret({ doc: 'The secret access key.', max: 2000 })),
  Endpoint: f.text({ doc: "The address of the store if it is not Amazon's.", max: 500, exact: true }),
  Region: f.text({ doc: 'The region; by default us-east-1.', max: 40, exact: true }),
  PathStyle: f.boolean({ doc: 'Whether the bucket is in the path instead of the host name.' }),
  Folder: f.text({ doc: 'The prefix of all keys.', max: 500, exact: true }),
  ConnectionsMax: f.integer({ doc: 'Most connections of one process.' }),
  TimeoutSeconds: f.integer({ doc: 'Timeout of a connection and of a response, in seconds.' }),
} as const satisfies ParameterFields;

type S3Options = OptionValues<typeof s3Options>;

/** Buckets of Amazon S3, and of stores that speak its protocol. */
export function s3Buckets(settings: Settings): FileObjectType<typeof s3Options> {
  return {
    options: s3Options,
    validate({ options }) {
      if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(options.Bucket))
        throw bad('Bucket', 'the name of a bucket: 3 to 63 lower-case letters, digits, points and hyphens');
      if (!/^[a-z0-9-]{1,40}$/.test(regionOf(options))) throw bad('Region', 'the name of a region, such as us-east-1');
      if (
        options.Folder !== undefined &&
        !options.Folder.split('/')
          .filter((name) => name !== '')
          .every(isPlainName)
      )
        throw bad('Folder', 'the prefix of all keys: plain names separated by /');
      if (options.Endpoint !== undefined && endpointOf(settings, options).pathname !== '/')
        throw bad('Endpoint', 'the address of the store without a path; the prefix of its keys belongs in Folder');
    },
    open: ({ name, options }) =>
      new S3Bucket({
        name,
        client: clientOf(settings, options),
        bucket: options.Bucket,
        prefix: prefixOf(options),
        assertAllowed: () => void endpointOf(settings, options),
      }),
  };
}

function regionOf({ Region }: S3Options): string {
  return Region ?? 'us-east-1';
}

function endpointOf(settings: Settings, options: S3Options): URL {
  return options.Endpoint === undefined
    ? new URL(`https://s3.${regionOf(options)}.amazonaws.com`)
    : outboundUrl(outboundRules(settings), options.Endpoint, 'Endpoint');
}

function prefixOf({ Folder }: S3Options): string {
  const names = (Folder ?? '').split('/').filter((name) => name !== '');
  return names.length === 0 ? '' : `${names.join('/')}/`;
}

function clientOf(settings: Settings, options: S3Options): S3Client {
  const {
    Endpoint: endpoint,
    AccessKeyID: accessKeyId,
    SecretAccessKey: secretAccessKey,
    PathStyle: pathStyle,
    TimeoutSeconds: timeoutSeconds = TIMEOUT_SECONDS,
    ConnectionsMax: connectionsMax = CONNECTIONS_MAX,
  } = options;
  const milliseconds = timeoutSeconds * 1_000;
  // Each connection goes to an address checked against the current settings, bypassing any proxy of the environment.
  const lookup: LookupFunction = (name, lookupOptions, callback) => {
    try {
      guardedLookup(outboundRules(settings), endpointOf(settings, options))(name, lookupOptions, callback);
    } catch (error) {
      callback(error as NodeJS.ErrnoException, '', 0);
    }
  };
  const agent = { keepAlive: true, maxSockets: connectionsMax, lookup };
  return new S3Client({
    region: regionOf(options),
    credentials: { accessKeyId, secretAccessKey },
    ...(endpoint === undefined ? {} : { endpoint }),
    forcePathStyle: pathStyle ?? endpoint !== undefined,
    maxAttempts: ATTEMPTS_MAX,
    // Omits checksums that older stores do not support; written content is compared by its own hash.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      httpAgent: new PlainAgent(agent),
      httpsAgent: new Agent(agent),
      connectionTimeout: milliseconds,
      requestTimeout: milliseconds,
      socketTimeout: milliseconds,
      throwOnRequestTimeout: true,
    } as never,
  });
}
