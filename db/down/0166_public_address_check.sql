-- down: what was found at the address of the installation; it is checked again after the next upgrade
drop table publicaddresscheck;
