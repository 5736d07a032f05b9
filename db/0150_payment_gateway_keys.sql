-- Customers, methods and payments refer to their gateway, which is not deleted while it has any.
alter table paymentcustomer add constraint paymentcustomer_paymentproviderid_fkey
  foreign key (paymentproviderid) references paymentprovider;
alter table paymentmethod add constraint paymentmethod_paymentproviderid_fkey
  foreign key (paymentproviderid) references paymentprovider;
alter table paymentsubscription add constraint paymentsubscription_paymentproviderid_fkey
  foreign key (paymentproviderid) references paymentprovider;
alter table payment add constraint payment_paymentproviderid_fkey
  foreign key (paymentproviderid) references paymentprovider;
alter table paymentdispute add constraint paymentdispute_paymentproviderid_fkey
  foreign key (paymentproviderid) references paymentprovider;
alter table paymentevent add constraint paymentevent_paymentproviderid_fkey
  foreign key (paymentproviderid) references paymentprovider;
alter table paymentdifference add constraint paymentdifference_paymentproviderid_fkey
  foreign key (paymentproviderid) references paymentprovider;
