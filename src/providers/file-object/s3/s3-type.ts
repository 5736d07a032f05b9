import { S3Client } from '@aws-sdk/client-s3';
import { Agent as PlainAgent } from 'node:http';
import { Agent } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { FileLocation, FileObjectType } from '../../../contracts/file-object.ts';
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

/** Buckets of Amazon S3, and of stores that speak its protocol. */
export function s3Buckets(settings: Settings): FileObjectType {
  return {
    required: ['bucket', 'accessKeyId', 'secretAccessKey'],
    optional: ['endpoint', 'region', 'pathStyle', 'folder', 'connectionsMax', 'timeoutSeconds'],
    validate(location) {
      if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(location.bucket ?? ''))
        throw bad('Bucket', 'the name of a bucket: 3 to 63 lower-case letters, digits, points and hyphens');
      if (!/^[a-z0-9-]{1,40}$/.test(regionOf(location))) throw bad('Region', 'the name of a region, such as us-east-1');
      if (
        location.folder !== undefined &&
        !location.folder
          .split('/')
          .filter((name) => name !== '')
          .every(isPlainName)
      )
        throw bad('Folder', 'the prefix of all keys: plain names separated by /');
      if (location.endpoint !== undefined && endpointOf(settings, location).pathname !== '/')
        throw bad('Endpoint', 'the address of the store without a path; the prefix of its keys belongs in Folder');
    },
    open: (location) =>
      new S3Bucket({
        name: location.name,
        client: clientOf(settings, location),
        bucket: location.bucket ?? '',
        prefix: prefixOf(location),
        assertAllowed: () => void endpointOf(settings, location),
      }),
  };
}

function regionOf({ region }: FileLocation): string {
  return region ?? 'us-east-1';
}

function endpointOf(settings: Settings, location: FileLocation): URL {
  return location.endpoint === undefined
    ? new URL(`https://s3.${regionOf(location)}.amazonaws.com`)
    : outboundUrl(outboundRules(settings), location.endpoint, 'Endpoint');
}

function prefixOf({ folder }: FileLocation): string {
  const names = (folder ?? '').split('/').filter((name) => name !== '');
  return names.length === 0 ? '' : `${names.join('/')}/`;
}

function clientOf(settings: Settings, location: FileLocation): S3Client {
  const {
    endpoint,
    accessKeyId = '',
    secretAccessKey = '',
    pathStyle,
    timeoutSeconds = TIMEOUT_SECONDS,
    connectionsMax = CONNECTIONS_MAX,
  } = location;
  const milliseconds = timeoutSeconds * 1_000;
  // Each connection goes to an address checked against the current settings, bypassing any proxy of the environment.
  const lookup: LookupFunction = (name, options, callback) => {
    try {
      guardedLookup(outboundRules(settings), endpointOf(settings, location))(name, options, callback);
    } catch (error) {
      callback(error as NodeJS.ErrnoException, '', 0);
    }
  };
  const agent = { keepAlive: true, maxSockets: connectionsMax, lookup };
  return new S3Client({
    region: regionOf(location),
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
