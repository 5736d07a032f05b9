import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { networkList } from '../../../../kernel/security/networks.ts';

/** Throws BAD_PARAMETER for networks or a rate limit that cannot be applied. */
export function assertKeyLimits(networks: string | null | undefined, limit: number | null | undefined): void {
  if (networks !== null && networks !== undefined && !networkList(networks))
    throw bad('AllowedNetworks', 'networks in CIDR notation such as 192.0.2.0/24, comma-separated');
  if (limit !== null && limit !== undefined && limit < 1)
    throw bad('RateLimitPerMinute', 'a number of calls, 1 or more');
}
