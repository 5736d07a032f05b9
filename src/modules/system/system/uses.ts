/** The modules whose records the health report counts. */
export const uses = [
  'maildelivery',
  'mailinbound',
  'payment',
  'paymentdifference',
  'paymentprovider',
  'paymentreconciliation',
  'paymentrefund',
] as const;
