/** Tables of the provider that imitates a payment gateway. */
export const tables = ['testgatewayobject', 'testgatewayrequest'] as const;
