-- down: which states of properties were derived from their postal codes; the states stay
drop view report.property;
alter table property drop column statederived;
create view report.property with (security_invoker = true) as select property.propertyid, property.property, property.status, property.propertytype, property.address, property.city, property.state, property.postalcode, property.county, property.createddate, property.createdpersonid, property.updateddate, property.updatedpersonid, property.version, property.custom from property;
grant select on report.property to casewright_report, casewright_report_all;
